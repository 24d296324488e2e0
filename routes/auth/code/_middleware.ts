import { define } from "../../../lib/web/state.ts";
import { requireSignInCodes } from "../../../lib/sign_in/code_login.ts";

export const handler = define.middleware(async (ctx) => {
  requireSignInCodes(ctx.state.services.config);
  return await ctx.next();
});
