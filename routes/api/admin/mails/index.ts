import { endpoint, endpoints } from "../../../../lib/web/endpoints/endpoint.ts";
import { listMailPage } from "../../../../lib/admin/lists.ts";
import { mailView } from "../../../../lib/admin/views.ts";
import { ADMIN_READ } from "../../../../lib/api/admin_entries.ts";
import { MailList, MailListSchema } from "../../../../lib/admin/schema.ts";

export const handler = endpoints({
  GET: endpoint({
    ...ADMIN_READ,
    operationId: "listMails",
    summary: "List emails",
    description: "Newest first, without their content.",
    query: MailListSchema,
    returns: { 200: MailList },
    sends: ["Link"],
  }, async ({ services, query }) => {
    const { data, nextCursor } = await listMailPage(services.db, query);
    return { data: data.map(mailView), nextCursor };
  }),
});
