import { actorIn } from "../../../../../lib/access/principal.ts";
import { changeClient, deleteClient } from "../../../../../lib/admin/client_acts.ts";
import { clientView, getClient } from "../../../../../lib/admin/clients.ts";
import { OneClient, ReasonedActSchema } from "../../../../../lib/admin/schema.ts";
import { ADMIN_ACT } from "../../../../../lib/api/admin_entries.ts";
import { MadeClientBody } from "../../../../../lib/clients/made_client_schema.ts";
import { endpoint, endpoints } from "../../../../../lib/web/endpoints/endpoint.ts";

export const handler = endpoints({
  PUT: endpoint({
    ...ADMIN_ACT,
    caller: "adminSession",
    operationId: "changeClient",
    summary: "Change an app that was made in the browser",
    description: "Sends all fields: one that is left out gets its default. An app of CLIENTS_FILE is changed there.",
    body: MadeClientBody,
    returns: { 200: OneClient },
    errors: ["MANAGED_BY_FILE"],
  }, async ({ services, caller, params: { client: id }, input: { reason, ...fields } }) => {
    await changeClient(services, { id, fields, by: actorIn(caller), reason });
    return { data: clientView(await getClient(services, id)) };
  }),
  DELETE: endpoint({
    ...ADMIN_ACT,
    caller: "adminSession",
    operationId: "deleteClient",
    summary: "Delete an app that was made in the browser",
    description: "Everyone is signed out of it, and what people have allowed it is forgotten.",
    body: ReasonedActSchema,
    returns: { 204: null },
    errors: ["MANAGED_BY_FILE"],
  }, ({ services, caller, params: { client: id }, input: { reason } }) => {
    return deleteClient(services, { id, by: actorIn(caller), reason });
  }),
});
