import { finishIdpSignIn } from "../../../lib/web/authentication/idp_handlers.ts";
import { define } from "../../../lib/web/state.ts";

export const handler = define.handlers({
  /** HEAD must not redeem the code, which works only once. */
  HEAD: (ctx) => ctx.redirect("/login"),
  GET: (ctx) => finishIdpSignIn(ctx),
});
