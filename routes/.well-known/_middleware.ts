import { lookForFirstClient } from "../../lib/clients/registrations.ts";
import { define } from "../../lib/web/state.ts";

/** Other documents of well-known addresses have nothing to do with apps. */
const FOR_APPS = /\/(openid-configuration|oauth-[\w-]+|jwks\.json)$/;

/** Another instance may have made the first app a moment ago. */
export const handler = define.middleware(async (ctx) => {
  if (FOR_APPS.test(ctx.url.pathname)) await lookForFirstClient(ctx.state.services);
  return await ctx.next();
});
