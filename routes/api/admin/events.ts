import { endpoint, endpoints } from "../../../lib/web/endpoints/endpoint.ts";
import { listAuditPage } from "../../../lib/admin/lists.ts";
import { auditEventView } from "../../../lib/admin/views.ts";

export const handler = endpoints({
  GET: endpoint("GET /api/admin/events", async ({ services, query: { user, ...query } }) => {
    const { data, nextCursor } = await listAuditPage(services.db, { ...query, userId: user });
    return { data: data.map(auditEventView), nextCursor };
  }),
});
