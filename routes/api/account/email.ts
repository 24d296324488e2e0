import { endpoint, endpoints } from "../../../lib/web/endpoints/endpoint.ts";
import { requestEmailChange } from "../../../lib/sign_in/email_change.ts";
import { EmailChangeSchema } from "../../../lib/sign_in/schema.ts";
import { Done } from "../../../lib/schemas/views.ts";

const LINK_SENT = "An email with a link to confirm the new address is on its way.";

export const handler = endpoints({
  POST: endpoint({
    operationId: "changeEmail",
    summary: "Change your email address",
    description:
      "Emails a link to the new address and alerts the old one. The response is the same for every address. Requires a " +
      "recent proof. An account without a confirmed address may name three others.",
    caller: "session",
    whileClosing: "refused",
    body: EmailChangeSchema,
    returns: { 200: Done },
    errors: ["PROVIDER_REQUIRED", "EMAIL_NOT_VERIFIED", "REAUTHENTICATION_REQUIRED"],
    limit: "mail",
  }, async ({ services, caller, input }) => {
    await requestEmailChange(services, caller, input);
    return { success: true, message: LINK_SENT };
  }),
});
