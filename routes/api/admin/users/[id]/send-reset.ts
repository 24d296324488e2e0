import { endpoint, endpoints } from "../../../../../lib/web/endpoints/endpoint.ts";
import { actorIn } from "../../../../../lib/access/principal.ts";
import { sendReset } from "../../../../../lib/admin/emails.ts";
import { PLAIN_ACT } from "../../../../../lib/api/admin_entries.ts";
import { Done } from "../../../../../lib/schemas/views.ts";

export const handler = endpoints({
  POST: endpoint({
    ...PLAIN_ACT,
    operationId: "sendResetTo",
    summary: "Email someone a link that sets a password",
    description:
      "Where `PASSWORDS` gives the account no password, the link logs in once instead. At most `LIMIT_MAIL_ADDRESS`, " +
      "three an hour. Earlier links stop working.",
    returns: { 200: Done },
    errors: ["EMAIL_NOT_VERIFIED", "PROVIDER_REQUIRED", "ACCOUNT_SUSPENDED"],
  }, async ({ services, caller, params, input: { reason } }) => {
    await sendReset(services, { who: params.id, by: actorIn(caller), reason });
    return { success: true, message: "Link emailed" };
  }),
});
