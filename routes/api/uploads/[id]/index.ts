import { endpoint, endpoints } from "../../../../lib/web/endpoints/endpoint.ts";
import { deleteUpload } from "../../../../lib/uploads/library.ts";

export const handler = endpoints({
  DELETE: endpoint({
    operationId: "deleteUpload",
    uploads: "files",
    summary: "Delete an upload",
    caller: "uploads:write",
    whileClosing: "refused",
    returns: { 204: null },
    errors: ["NOT_FOUND"],
    limit: "write",
  }, ({ services, caller: { user, token }, params: { id } }) => {
    return deleteUpload(services, { id, userId: user.id, tokenId: token?.id });
  }),
});
