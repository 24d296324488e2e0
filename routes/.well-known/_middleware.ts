import { lookForFirstClient } from "../../lib/clients/registrations.ts";
import { define } from "../../lib/web/state.ts";

/** Another instance may have made the first app a moment ago. */
export const handler = define.middleware(async (ctx) => {
  await lookForFirstClient(ctx.state.services);
  return await ctx.next();
});
