import { endpoint, endpoints } from "../../../../../lib/web/endpoints/endpoint.ts";
import { actorIn } from "../../../../../lib/access/principal.ts";
import { retryEmail } from "../../../../../lib/admin/emails.ts";

export const handler = endpoints({
  POST: endpoint("POST /api/admin/mails/{id}/retry", async ({ services, caller, params, input: { reason } }) => {
    await retryEmail(services, { id: params.id, by: actorIn(caller), reason });
    return { success: true, message: "The email is sent now" };
  }),
});
