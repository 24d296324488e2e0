import { login } from "../../lib/sign_in/login.ts";
import { loginView } from "../../lib/users/user_views.ts";
import { answerSignIn } from "../../lib/web/authentication/sign_in_response.ts";
import { sessionClientOf } from "../../lib/web/client.ts";
import { endpoint, endpoints } from "../../lib/web/endpoints/endpoint.ts";
import { reply } from "../../lib/web/endpoints/reply.ts";

export const handler = endpoints({
  POST: endpoint("POST /auth/login", async ({ services, input, ctx }) => {
    const { user, session } = await login(services, input, await sessionClientOf(ctx));
    return reply(
      { success: true, message: "Login successful", user: loginView(user) },
      (success) => answerSignIn(ctx, session, success),
    );
  }),
});
