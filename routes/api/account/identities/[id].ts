import { endpoint, endpoints } from "../../../../lib/web/endpoints/endpoint.ts";
import { unlinkIdentity } from "../../../../lib/sign_in/providers/identity.ts";

export const handler = endpoints({
  DELETE: endpoint("DELETE /api/account/identities/{id}", ({ services, caller, params }) => {
    return unlinkIdentity(services, caller, params.id);
  }),
});
