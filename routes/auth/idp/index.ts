import { startIdpSignIn } from "../../../lib/http/idp_handlers.ts";
import { define } from "../../../lib/http/state.ts";

export const handler = define.handlers({
  GET: (ctx) => startIdpSignIn(ctx),
});
