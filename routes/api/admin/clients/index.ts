import { clientView, listClients } from "../../../../lib/admin/clients.ts";
import { endpoint, endpoints } from "../../../../lib/web/endpoints/endpoint.ts";

export const handler = endpoints({
  GET: endpoint("GET /api/admin/clients", async ({ services }) => ({
    data: (await listClients(services)).map(clientView),
  })),
});
