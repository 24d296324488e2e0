import { requestTokens } from "../../lib/authorization_server/tokens/token_request.ts";
import { endpoints } from "../../lib/web/endpoints/endpoint.ts";
import { appEndpoint, AS_CLIENT } from "../../lib/web/oauth/app_endpoint.ts";
import { requireRegistrations } from "../../lib/config/features.ts";
import { TokenRequestForm } from "../../lib/access/schema.ts";
import { TokenResponseView } from "../../lib/authorization_server/schema.ts";

export const handler = endpoints({
  POST: appEndpoint(
    {
      operationId: "createAppTokens",
      summary: "Get tokens as an app",
      description:
        "Exchanges a code, the code of a device, or a refresh token. With `client_credentials`, an app gets an " +
        "access token of its own, for no person. Wrong client authentications count.",
      caller: "public",
      whileClosing: "open",
      requireFeature: requireRegistrations,
      form: TokenRequestForm,
      forApps: {
        ...AS_CLIENT,
        errors: [
          ...AS_CLIENT.errors,
          "invalid_grant",
          "unauthorized_client",
          "unsupported_grant_type",
          "invalid_scope",
          "invalid_target",
          "authorization_pending",
          "slow_down",
          "access_denied",
          "expired_token",
        ],
      },
      returns: { 200: TokenResponseView },
      limit: "client",
    },
    ({ services, client, from, form }) =>
      requestTokens(services, { client, from }, {
        grantType: form.get("grant_type"),
        code: form.get("code"),
        redirectUri: form.get("redirect_uri"),
        codeVerifier: form.get("code_verifier"),
        refreshToken: form.get("refresh_token"),
        deviceCode: form.get("device_code"),
        scope: form.get("scope"),
        resources: form.resources,
      }),
  ),
});
