import { discoveryHandler } from "../../lib/web/endpoints/discovery.ts";
import { endpoints } from "../../lib/web/endpoints/endpoint.ts";
import { requireRegistrations } from "../../lib/config/features.ts";
import { DiscoveryDocument } from "../../lib/authorization_server/schema.ts";

export const handler = endpoints({
  GET: discoveryHandler({
    operationId: "getAuthorizationServer",
    summary: "Return where and how apps get tokens",
    description: "The metadata of RFC 8414.",
    caller: "public",
    whileClosing: "open",
    requireFeature: requireRegistrations,
    returns: { 200: DiscoveryDocument },
  }),
});
