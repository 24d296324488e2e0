import { startIdpSignIn } from "../../../lib/web/authentication/idp_handlers.ts";
import { endpoints, plainEndpoint } from "../../../lib/web/endpoints/endpoint.ts";
import { StartQuery } from "../../../lib/schemas/navigation.ts";

export const handler = endpoints({
  GET: plainEndpoint({
    operationId: "startDefaultProviderSignIn",
    summary: "Sign in through the identity provider",
    description: "Open it in a browser. It redirects to the provider.",
    caller: "public",
    tokens: "session",
    whileClosing: "open",
    query: StartQuery,
    returns: { 302: null },
    sends: ["Location"],
    errors: ["IDP_NOT_CONFIGURED", "FORBIDDEN"],
    limit: "attempt",
  }, (ctx) => startIdpSignIn(ctx)),
});
