import { introspectToken } from "../../lib/authorization_server/tokens/introspection.ts";
import { endpoints } from "../../lib/web/endpoints/endpoint.ts";
import { appEndpoint, AS_CLIENT } from "../../lib/web/oauth/app_endpoint.ts";
import { requireRegistrations } from "../../lib/config/features.ts";
import { TokenForm } from "../../lib/access/schema.ts";
import { IntrospectionView } from "../../lib/authorization_server/schema.ts";

export const handler = endpoints({
  POST: appEndpoint(
    {
      operationId: "checkToken",
      summary: "Find out whether a token is alive",
      description: "For confidential apps: their own tokens, and those for their resources.",
      caller: "public",
      whileClosing: "open",
      requireFeature: requireRegistrations,
      forApps: AS_CLIENT,
      form: TokenForm,
      returns: { 200: IntrospectionView },
      limit: "client",
    },
    ({ services, client, form }) => introspectToken(services, client, { token: form.get("token") }),
  ),
});
