import { protectedResource } from "../../lib/authorization_server/discovery.ts";
import { ProtectedResource } from "../../lib/authorization_server/schema.ts";
import { requireRegistrations } from "../../lib/config/features.ts";
import { documentHandler } from "../../lib/web/endpoints/discovery.ts";
import { endpoints } from "../../lib/web/endpoints/endpoint.ts";

export const handler = endpoints({
  GET: documentHandler({
    operationId: "getProtectedResource",
    summary: "Return where apps get tokens for this API",
    description: "The metadata of RFC 9728. Challenges in the header `WWW-Authenticate` lead here.",
    caller: "public",
    whileClosing: "open",
    requireFeature: requireRegistrations,
    returns: { 200: ProtectedResource },
  }, ({ config }) => protectedResource(config)),
});
