import { revokeToken } from "../../lib/authorization_server/tokens/revocation.ts";
import { endpoints } from "../../lib/web/endpoints/endpoint.ts";
import { appEndpoint, AS_CLIENT } from "../../lib/web/oauth/app_endpoint.ts";
import { requireRegistrations } from "../../lib/config/features.ts";
import { TokenForm } from "../../lib/access/schema.ts";

export const handler = endpoints({
  POST: appEndpoint({
    operationId: "endGrant",
    summary: "End a grant of an app",
    description: "With a refresh token or an access token of the app. Nothing happens with any other token.",
    caller: "public",
    whileClosing: "open",
    requireFeature: requireRegistrations,
    forApps: { ...AS_CLIENT, errors: [...AS_CLIENT.errors, "unsupported_token_type"] },
    form: TokenForm,
    returns: { 200: null },
    limit: "client",
  }, async ({ services, client, from, form }) => {
    await revokeToken(services, { client, from }, { token: form.get("token") });
    return null;
  }),
});
