import { resetPassword } from "../../lib/sign_in/password_reset.ts";
import { withSignIn } from "../../lib/web/authentication/sign_in_response.ts";
import { sessionClientOf } from "../../lib/web/client.ts";
import { endpoint, endpoints } from "../../lib/web/endpoints/endpoint.ts";
import { reply } from "../../lib/web/endpoints/reply.ts";
import { PasswordResetSchema } from "../../lib/sign_in/schema.ts";
import { PasswordSet } from "../../lib/accounts/schema.ts";

const SUSPENDED = "Password updated. The account is suspended.";
const ONE_MORE_STEP = "Password updated. Enter a code to log in.";
const LOGGED_IN = "Password updated. You are logged in.";
const ACCEPTED = "Password set. You are logged in.";

export const handler = endpoints({
  POST: endpoint({
    operationId: "resetPassword",
    summary: "Set a new password",
    description: "`token` is in the emailed link. Ends all sessions of the account and opens one, unless a second " +
      "factor comes first: then `methods` lists what completes the login at `POST /auth/second-factor`, with the cookie " +
      "received. A suspended account gets the password and no session.",
    caller: "public",
    tokens: "session",
    whileClosing: "open",
    body: PasswordResetSchema,
    returns: { 200: PasswordSet },
    sends: ["Set-Cookie"],
    errors: ["INVALID_TOKEN", "PROVIDER_REQUIRED", "PASSWORDS_OFF", "ACCOUNT_SUSPENDED"],
    limit: "guess",
  }, async ({ services, input, ctx }) => {
    const { session, isAccepted } = await resetPassword(services, input, await sessionClientOf(ctx));
    if (session === null) return { success: true, message: SUSPENDED };
    const finish = (success: Response) => withSignIn(success, session, services);
    return "methods" in session
      ? reply({ success: true, message: ONE_MORE_STEP, methods: session.methods }, finish)
      : reply({ success: true, message: isAccepted ? ACCEPTED : LOGGED_IN }, finish);
  }),
});
