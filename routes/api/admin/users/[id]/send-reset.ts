import { endpoint, endpoints } from "../../../../../lib/web/endpoints/endpoint.ts";
import { actorIn } from "../../../../../lib/access/principal.ts";
import { sendReset } from "../../../../../lib/admin/emails.ts";

export const handler = endpoints({
  POST: endpoint("POST /api/admin/users/{id}/send-reset", async ({ services, caller, params, input: { reason } }) => {
    await sendReset(services, { who: params.id, by: actorIn(caller), reason });
    return { success: true, message: "Reset email sent" };
  }),
});
