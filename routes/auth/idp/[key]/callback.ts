import { finishIdpSignIn, keyInPath } from "../../../../lib/http/idp_handlers.ts";
import { define } from "../../../../lib/http/state.ts";

export const handler = define.handlers({
  /** HEAD must not redeem the code, which works only once. */
  HEAD: (ctx) => ctx.redirect("/login"),
  GET: (ctx) => finishIdpSignIn(ctx, keyInPath(ctx)),
});
