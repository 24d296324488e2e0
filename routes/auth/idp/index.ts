import { startIdpSignIn } from "../../../lib/web/authentication/idp_handlers.ts";
import { define } from "../../../lib/web/state.ts";

export const handler = define.handlers({
  GET: (ctx) => startIdpSignIn(ctx),
});
