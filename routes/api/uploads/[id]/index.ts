import { endpoint, endpoints } from "../../../../lib/web/endpoints/endpoint.ts";
import { deleteUpload } from "../../../../lib/uploads/library.ts";

export const handler = endpoints({
  DELETE: endpoint("DELETE /api/uploads/{id}", ({ services, caller: { user, token }, params: { id } }) => {
    return deleteUpload(services, { id, userId: user.id, tokenId: token?.id });
  }),
});
