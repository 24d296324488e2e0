import { sendReauthenticationCode } from "../../../lib/sign_in/step_up.ts";
import { endpoint, endpoints } from "../../../lib/web/endpoints/endpoint.ts";

export const handler = endpoints({
  POST: endpoint("POST /auth/reauthenticate/code", async ({ services, caller }) => {
    await sendReauthenticationCode(services, caller);
    return { success: true, message: "A code is on its way to your email address" };
  }),
});
