import { discoveryHandler } from "../../lib/web/endpoints/discovery.ts";
import { endpoints } from "../../lib/web/endpoints/endpoint.ts";
import { requireRegistrations } from "../../lib/config/features.ts";
import { DiscoveryDocument } from "../../lib/authorization_server/schema.ts";

export const handler = endpoints({
  GET: discoveryHandler({
    operationId: "getOpenidConfiguration",
    summary: "Return where and how apps sign people in",
    description: "OpenID Connect Discovery. The same as `/.well-known/oauth-authorization-server`.",
    caller: "public",
    whileClosing: "open",
    requireFeature: requireRegistrations,
    returns: { 200: DiscoveryDocument },
  }),
});
