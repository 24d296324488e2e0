import { clientView, listClients } from "../../../../lib/admin/clients.ts";
import { endpoint, endpoints } from "../../../../lib/web/endpoints/endpoint.ts";
import { ADMIN_READ } from "../../../../lib/api/admin_entries.ts";
import { ClientList } from "../../../../lib/admin/schema.ts";

export const handler = endpoints({
  GET: endpoint({
    ...ADMIN_READ,
    operationId: "listClients",
    summary: "List the apps that sign people in",
    description: "Those of CLIENTS_FILE, and how they are used. Empty without it.",
    returns: { 200: ClientList },
  }, async ({ services }) => ({
    data: (await listClients(services)).map(clientView),
  })),
});
