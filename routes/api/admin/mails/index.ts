import { endpoint, endpoints } from "../../../../lib/web/endpoints/endpoint.ts";
import { listMailPage } from "../../../../lib/admin/lists.ts";
import { mailView } from "../../../../lib/admin/views.ts";

export const handler = endpoints({
  GET: endpoint("GET /api/admin/mails", async ({ services, query }) => {
    const { data, nextCursor } = await listMailPage(services.db, query);
    return { data: data.map(mailView), nextCursor };
  }),
});
