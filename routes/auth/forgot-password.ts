import { requestPasswordReset } from "../../lib/sign_in/password_reset.ts";
import { endpoint, endpoints } from "../../lib/web/endpoints/endpoint.ts";

const LINK_SENT = "If an account uses this address, an email with a link to reset the password is on its way.";

export const handler = endpoints({
  POST: endpoint("POST /auth/forgot-password", async ({ services, input }) => {
    await requestPasswordReset(services, input);
    return { success: true, message: LINK_SENT };
  }),
});
