import { startIdpSignIn } from "../../../lib/web/authentication/idp_handlers.ts";
import { limited } from "../../../lib/web/middleware/rate_limit.ts";
import { define } from "../../../lib/web/state.ts";

export const handler = define.handlers({
  GET: limited("attempt", (ctx) => startIdpSignIn(ctx)),
});
