import { keyInPath, startIdpSignIn } from "../../../../lib/web/authentication/idp_handlers.ts";
import { endpoints, plainEndpoint } from "../../../../lib/web/endpoints/endpoint.ts";
import { StartQuery } from "../../../../lib/schemas/navigation.ts";

export const handler = endpoints({
  GET: plainEndpoint({
    operationId: "startProviderSignIn",
    summary: "Sign in through another identity provider",
    description: "As `GET /auth/idp`, for the provider with this key.",
    caller: "public",
    tokens: "session",
    whileClosing: "open",
    query: StartQuery,
    returns: { 302: null },
    sends: ["Location"],
    errors: ["IDP_NOT_CONFIGURED", "FORBIDDEN"],
    limit: "attempt",
  }, (ctx) => startIdpSignIn(ctx, keyInPath(ctx))),
});
