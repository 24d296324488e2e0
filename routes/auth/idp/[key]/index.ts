import { keyInPath, startIdpSignIn } from "../../../../lib/web/authentication/idp_handlers.ts";
import { endpoints, plainEndpoint } from "../../../../lib/web/endpoints/endpoint.ts";

export const handler = endpoints({
  GET: plainEndpoint("GET /auth/idp/{key}", (ctx) => startIdpSignIn(ctx, keyInPath(ctx))),
});
