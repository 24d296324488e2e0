import { finishIdpSignIn } from "../../../lib/web/authentication/idp_handlers.ts";
import { endpoints, plainEndpoint } from "../../../lib/web/endpoints/endpoint.ts";
import { CallbackQuery } from "../../../lib/schemas/navigation.ts";

export const handler = endpoints({
  GET: plainEndpoint({
    operationId: "completeDefaultProviderSignIn",
    summary: "Complete a sign-in at the identity provider",
    description: "The provider sends the browser here. It opens a session and redirects to a page.",
    caller: "public",
    tokens: "session",
    whileClosing: "open",
    query: CallbackQuery,
    returns: { 302: null },
    sends: ["Location", "Set-Cookie"],
    errors: [
      "INVALID_STATE",
      "IDP_NOT_CONFIGURED",
      "FORBIDDEN",
      "EMAIL_TAKEN",
      "PROVIDER_REQUIRED",
      "ACCOUNT_SUSPENDED",
    ],
    limit: "write",
  }, (ctx) => finishIdpSignIn(ctx)),
});
