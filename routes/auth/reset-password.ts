import { resetPassword } from "../../lib/sign_in/password_reset.ts";
import { answerSignIn } from "../../lib/web/authentication/sign_in_response.ts";
import { sessionClientOf } from "../../lib/web/client.ts";
import { endpoint, endpoints } from "../../lib/web/endpoints/endpoint.ts";
import { reply } from "../../lib/web/endpoints/reply.ts";
import { PasswordResetSchema } from "../../lib/sign_in/schema.ts";
import { Done } from "../../lib/schemas/views.ts";

const PASSWORD_SET = "Password updated. You can log in now.";
const LOGGED_IN = "Password set. You are logged in.";

export const handler = endpoints({
  POST: endpoint({
    operationId: "resetPassword",
    summary: "Set a new password",
    description: "`token` is in the emailed link. Ends all sessions of the account. Invited people get a session.",
    caller: "public",
    tokens: "session",
    whileClosing: "open",
    body: PasswordResetSchema,
    returns: { 200: Done },
    sends: ["Set-Cookie"],
    errors: ["INVALID_TOKEN", "PROVIDER_REQUIRED", "PASSWORDS_OFF", "SECOND_FACTOR_REQUIRED", "ACCOUNT_SUSPENDED"],
    limit: "guess",
  }, async ({ services, input, ctx }) => {
    const { session } = await resetPassword(services, input, await sessionClientOf(ctx));
    return session === null
      ? { success: true, message: PASSWORD_SET }
      : reply({ success: true, message: LOGGED_IN }, (success) => answerSignIn(ctx, session, success));
  }),
});
