import { resetPassword } from "../../lib/sign_in/password_reset.ts";
import { clientOf } from "../../lib/web/client.ts";
import { endpoint, endpoints } from "../../lib/web/endpoints/endpoint.ts";

const PASSWORD_SET = "Password updated. You can log in now.";

export const handler = endpoints({
  POST: endpoint("POST /auth/reset-password", async ({ services, input, ctx }) => {
    await resetPassword(services, input, clientOf(ctx));
    return { success: true, message: PASSWORD_SET };
  }),
});
