import { logInWithPasskey } from "../../../lib/sign_in/passkeys/passkey_login.ts";
import { loginView } from "../../../lib/users/user_views.ts";
import { withSessionCookie } from "../../../lib/web/authentication/session_cookie.ts";
import { sessionClientOf } from "../../../lib/web/client.ts";
import { endpoint, endpoints } from "../../../lib/web/endpoints/endpoint.ts";
import { reply } from "../../../lib/web/endpoints/reply.ts";
import { PasskeyLoginSchema } from "../../../lib/sign_in/passkeys/schema.ts";
import { LoggedIn } from "../../../lib/accounts/schema.ts";

export const handler = endpoints({
  POST: endpoint({
    operationId: "logInWithPasskey",
    summary: "Log in with a passkey",
    description: "`credential` is what `navigator.credentials.get` returns, as JSON.",
    caller: "public",
    tokens: "session",
    whileClosing: "open",
    body: PasskeyLoginSchema,
    returns: { 200: LoggedIn },
    sends: ["Set-Cookie"],
    errors: ["INVALID_CREDENTIALS", "EMAIL_NOT_VERIFIED", "PROVIDER_REQUIRED", "ACCOUNT_SUSPENDED"],
    limit: "login",
  }, async ({ services, input, ctx }) => {
    const { user, session } = await logInWithPasskey(services, input.credential, await sessionClientOf(ctx));
    return reply(
      { success: true, message: "Login successful", user: loginView(user) },
      (response) => withSessionCookie(response, session, services),
    );
  }),
});
