import { finishIdpSignIn } from "../../../lib/web/authentication/idp_handlers.ts";
import { endpoints, plainEndpoint } from "../../../lib/web/endpoints/endpoint.ts";

export const handler = endpoints({
  /** HEAD must not redeem the code, which works only once. */
  HEAD: plainEndpoint("GET /auth/idp/callback", (ctx) => ctx.redirect("/login")),
  GET: plainEndpoint("GET /auth/idp/callback", (ctx) => finishIdpSignIn(ctx)),
});
