import { CALLBACK, finishIdpSignIn, keyInPath } from "../../../../lib/web/authentication/idp_handlers.ts";
import { endpoints, plainEndpoint } from "../../../../lib/web/endpoints/endpoint.ts";

export const handler = endpoints({
  GET: plainEndpoint({
    operationId: "completeProviderSignIn",
    summary: "Complete a sign-in at another identity provider",
    description: "As `GET /auth/idp/callback`, for the provider with this key.",
    ...CALLBACK,
  }, (ctx) => finishIdpSignIn(ctx, keyInPath(ctx))),
});
