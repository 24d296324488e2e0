import { requestTokens } from "../../lib/authorization_server/tokens/token_request.ts";
import { endpoints } from "../../lib/web/endpoints/endpoint.ts";
import { appEndpoint } from "../../lib/web/oauth/app_endpoint.ts";

export const handler = endpoints({
  POST: appEndpoint(
    "POST /oauth/token",
    ({ services, client, from, form }) =>
      requestTokens(services, { client, from }, {
        grantType: form.get("grant_type"),
        code: form.get("code"),
        redirectUri: form.get("redirect_uri"),
        codeVerifier: form.get("code_verifier"),
        refreshToken: form.get("refresh_token"),
        scope: form.get("scope"),
        resources: form.resources,
      }),
  ),
});
