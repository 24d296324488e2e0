import { introspectToken } from "../../lib/authorization_server/tokens/introspection.ts";
import { endpoints } from "../../lib/web/endpoints/endpoint.ts";
import { appEndpoint } from "../../lib/web/oauth/app_endpoint.ts";

export const handler = endpoints({
  POST: appEndpoint(
    "POST /oauth/introspect",
    ({ services, client, form }) => introspectToken(services, client, { token: form.get("token") }),
  ),
});
