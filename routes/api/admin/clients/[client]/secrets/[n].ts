import { actorIn } from "../../../../../../lib/access/principal.ts";
import { deleteSecret } from "../../../../../../lib/admin/client_acts.ts";
import { ReasonedActSchema } from "../../../../../../lib/admin/schema.ts";
import { ADMIN_ACT } from "../../../../../../lib/api/admin_entries.ts";
import { endpoint, endpoints } from "../../../../../../lib/web/endpoints/endpoint.ts";

export const handler = endpoints({
  DELETE: endpoint({
    ...ADMIN_ACT,
    caller: "adminSession",
    operationId: "deleteClientSecret",
    summary: "Delete a secret of an app",
    description: "Without any, an app that has had one gets no tokens until it has a new one.",
    body: ReasonedActSchema,
    returns: { 204: null },
    errors: ["MANAGED_BY_FILE"],
  }, ({ services, caller, params: { client: id, n }, input: { reason } }) => {
    return deleteSecret(services, { id, n: Number(n), by: actorIn(caller), reason });
  }),
});
