import { CALLBACK, finishIdpSignIn } from "../../../lib/web/authentication/idp_handlers.ts";
import { endpoints, plainEndpoint } from "../../../lib/web/endpoints/endpoint.ts";

export const handler = endpoints({
  GET: plainEndpoint({
    operationId: "completeDefaultProviderSignIn",
    summary: "Complete a sign-in at the identity provider",
    description: "The provider sends the browser here. It opens a session and redirects to a page.",
    ...CALLBACK,
  }, (ctx) => finishIdpSignIn(ctx)),
});
