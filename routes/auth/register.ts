import { register, type Registered } from "../../lib/accounts/registration.ts";
import { registrationView } from "../../lib/users/user_views.ts";
import { withSessionCookie } from "../../lib/web/authentication/session_cookie.ts";
import { sessionClientOf } from "../../lib/web/client.ts";
import { endpoint, endpoints } from "../../lib/web/endpoints/endpoint.ts";
import { reply } from "../../lib/web/endpoints/reply.ts";

const CHECK_EMAIL = "Registration successful. Please check your email to verify your account.";

export const handler = endpoints({
  POST: endpoint("POST /auth/register", async ({ services, input, ctx, atCommit }) => {
    const answer = ({ user, session }: Registered) =>
      reply(
        { success: true, message: CHECK_EMAIL, user: registrationView(user) },
        (response) => withSessionCookie(response, session, services),
      );
    return answer(await register(services, input, await sessionClientOf(ctx), atCommit(answer)));
  }),
});
