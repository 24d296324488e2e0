import { resendVerification } from "../../lib/sign_in/email_verification.ts";
import { endpoint, endpoints } from "../../lib/web/endpoints/endpoint.ts";
import { ResendVerificationSchema } from "../../lib/sign_in/schema.ts";
import { Done } from "../../lib/schemas/views.ts";

const LINK_SENT = "If this address still needs to be verified, an email with a new link is on its way.";

export const handler = endpoints({
  POST: endpoint({
    operationId: "resendVerification",
    summary: "Email a new confirmation link",
    description: "The response is the same for every address.",
    caller: "public",
    whileClosing: "open",
    body: ResendVerificationSchema,
    returns: { 200: Done },
    limit: "mail",
  }, async ({ services, input }) => {
    await resendVerification(services, input);
    return { success: true, message: LINK_SENT };
  }),
});
