import { resetPassword } from "../../lib/sign_in/password_reset.ts";
import { answerSignIn } from "../../lib/web/authentication/sign_in_response.ts";
import { sessionClientOf } from "../../lib/web/client.ts";
import { endpoint, endpoints } from "../../lib/web/endpoints/endpoint.ts";
import { reply } from "../../lib/web/endpoints/reply.ts";

const PASSWORD_SET = "Password updated. You can log in now.";
const LOGGED_IN = "Password set. You are logged in.";

export const handler = endpoints({
  POST: endpoint("POST /auth/reset-password", async ({ services, input, ctx }) => {
    const { session } = await resetPassword(services, input, await sessionClientOf(ctx));
    return session === null
      ? { success: true, message: PASSWORD_SET }
      : reply({ success: true, message: LOGGED_IN }, (success) => answerSignIn(ctx, session, success));
  }),
});
