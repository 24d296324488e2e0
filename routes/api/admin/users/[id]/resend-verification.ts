import { endpoint, endpoints } from "../../../../../lib/web/endpoints/endpoint.ts";
import { actorIn } from "../../../../../lib/access/principal.ts";
import { resendConfirmation } from "../../../../../lib/admin/emails.ts";

const KEY = "POST /api/admin/users/{id}/resend-verification";

export const handler = endpoints({
  POST: endpoint(KEY, async ({ services, caller, params, input: { reason } }) => {
    const sent = await resendConfirmation(services, { who: params.id, by: actorIn(caller), reason });
    return { success: true, message: sent ? "Confirmation email sent" : "The address is confirmed already", sent };
  }),
});
