import { endpoint, endpoints } from "../../../../../lib/web/endpoints/endpoint.ts";
import { actorIn } from "../../../../../lib/access/principal.ts";
import { resendConfirmation } from "../../../../../lib/admin/emails.ts";
import { PLAIN_ACT } from "../../../../../lib/api/admin_entries.ts";
import { ConfirmationSent } from "../../../../../lib/admin/schema.ts";

export const handler = endpoints({
  POST: endpoint({
    ...PLAIN_ACT,
    operationId: "resendVerificationTo",
    summary: "Email someone the link again that confirms their address",
    description: "At most `LIMIT_MAIL_ADDRESS`, three an hour. Earlier links keep working.",
    returns: { 200: ConfirmationSent },
    errors: ["ACCOUNT_SUSPENDED"],
  }, async ({ services, caller, params, input: { reason } }) => {
    const sent = await resendConfirmation(services, { who: params.id, by: actorIn(caller), reason });
    return { success: true, message: sent ? "Confirmation email sent" : "The address is confirmed already", sent };
  }),
});
