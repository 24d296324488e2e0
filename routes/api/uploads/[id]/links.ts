import { eventBy, lockCaller } from "../../../../lib/access/principal.ts";
import { revokeLinks } from "../../../../lib/uploads/private/links.ts";
import { endpoint, endpoints } from "../../../../lib/web/endpoints/endpoint.ts";

export const handler = endpoints({
  DELETE: endpoint({
    operationId: "revokeUploadLinks",
    uploads: "files",
    summary: "Revoke all links to a private file",
    description: "No link that was made so far opens the file again.",
    caller: "uploads:write",
    whileClosing: "refused",
    returns: { 204: null },
    errors: ["NOT_FOUND", "VALIDATION_FAILED"],
    limit: "write",
  }, ({ services, caller, params: { id } }) => {
    return revokeLinks(services, { id, by: eventBy(caller), lock: lockCaller(caller) });
  }),
});
