import { revokeToken } from "../../lib/authorization_server/tokens/revocation.ts";
import { endpoints } from "../../lib/web/endpoints/endpoint.ts";
import { appEndpoint } from "../../lib/web/oauth/app_endpoint.ts";

export const handler = endpoints({
  POST: appEndpoint("POST /oauth/revoke", async ({ services, client, from, form }) => {
    await revokeToken(services, { client, from }, { token: form.get("token") });
    return null;
  }),
});
