import { logInWithPasskey } from "../../../lib/sign_in/passkeys/passkey_login.ts";
import { loginView } from "../../../lib/users/user_views.ts";
import { withSessionCookie } from "../../../lib/web/authentication/session_cookie.ts";
import { sessionClientOf } from "../../../lib/web/client.ts";
import { endpoint, endpoints } from "../../../lib/web/endpoints/endpoint.ts";
import { reply } from "../../../lib/web/endpoints/reply.ts";

export const handler = endpoints({
  POST: endpoint("POST /auth/passkey", async ({ services, input, ctx }) => {
    const { user, session } = await logInWithPasskey(services, input.credential, await sessionClientOf(ctx));
    return reply(
      { success: true, message: "Login successful", user: loginView(user) },
      (response) => withSessionCookie(response, session, services),
    );
  }),
});
