import { endpoint, endpoints } from "../../../lib/web/endpoints/endpoint.ts";
import { listAuditPage } from "../../../lib/admin/lists.ts";
import { auditEventView } from "../../../lib/admin/views.ts";
import { ADMIN_READ } from "../../../lib/api/admin_entries.ts";
import { AuditList, AuditListSchema } from "../../../lib/admin/schema.ts";

export const handler = endpoints({
  GET: endpoint({
    ...ADMIN_READ,
    operationId: "listAuditEvents",
    summary: "List what has happened to all accounts",
    description: "Newest first.",
    query: AuditListSchema,
    returns: { 200: AuditList },
    sends: ["Link"],
  }, async ({ services, query: { user, ...query } }) => {
    const { data, nextCursor } = await listAuditPage(services.db, { ...query, userId: user });
    return { data: data.map(auditEventView), nextCursor };
  }),
});
