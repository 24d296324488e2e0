import { endpoint, endpoints } from "../../../../../lib/web/endpoints/endpoint.ts";
import { actorIn } from "../../../../../lib/access/principal.ts";
import { retryEmail } from "../../../../../lib/admin/emails.ts";
import { PLAIN_ACT } from "../../../../../lib/api/admin_entries.ts";
import { Done } from "../../../../../lib/schemas/views.ts";

export const handler = endpoints({
  POST: endpoint({
    ...PLAIN_ACT,
    operationId: "retryMail",
    summary: "Send a waiting email now",
    description: "The content of one that was sent or has failed is gone.",
    returns: { 200: Done },
    errors: ["EMAIL_GONE"],
  }, async ({ services, caller, params, input: { reason } }) => {
    await retryEmail(services, { id: params.id, by: actorIn(caller), reason });
    return { success: true, message: "The email is sent now" };
  }),
});
