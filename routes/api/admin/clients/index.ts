import { actorIn } from "../../../../lib/access/principal.ts";
import { createClient } from "../../../../lib/admin/client_acts.ts";
import { clientView, getClient, listClients } from "../../../../lib/admin/clients.ts";
import { ClientList, OneClient } from "../../../../lib/admin/schema.ts";
import { ADMIN_ACT, ADMIN_READ } from "../../../../lib/api/admin_entries.ts";
import { MadeClientBody } from "../../../../lib/clients/made_client_schema.ts";
import { endpoint, endpoints } from "../../../../lib/web/endpoints/endpoint.ts";

export const handler = endpoints({
  GET: endpoint({
    ...ADMIN_READ,
    operationId: "listClients",
    summary: "List the apps that sign people in",
    description: "Those of CLIENTS_FILE, then those made in the browser, and how they are used.",
    returns: { 200: ClientList },
  }, async ({ services }) => ({
    data: (await listClients(services)).map(clientView),
  })),
  POST: endpoint({
    ...ADMIN_ACT,
    caller: "adminSession",
    operationId: "createClient",
    summary: "Make an app that signs people in",
    description: "With the fields of a client of CLIENTS_FILE, except for those that only it may set. It is " +
      "public until it gets a secret.",
    body: MadeClientBody,
    returns: { 201: OneClient },
    errors: ["TOO_MANY"],
  }, async ({ services, caller, input: { reason, ...fields } }) => {
    const { id } = await createClient(services, { fields, by: actorIn(caller), reason });
    return { data: clientView(await getClient(services, id)) };
  }),
});
