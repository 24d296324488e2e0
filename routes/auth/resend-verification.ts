import { resendVerification } from "../../lib/sign_in/email_verification.ts";
import { endpoint, endpoints } from "../../lib/web/endpoints/endpoint.ts";

const LINK_SENT = "If this address still needs to be verified, an email with a new link is on its way.";

export const handler = endpoints({
  POST: endpoint("POST /auth/resend-verification", async ({ services, input }) => {
    await resendVerification(services, input);
    return { success: true, message: LINK_SENT };
  }),
});
