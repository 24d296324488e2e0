import { login } from "../../lib/sign_in/login.ts";
import { loginView } from "../../lib/users/user_views.ts";
import { answerSignIn } from "../../lib/web/authentication/sign_in_response.ts";
import { sessionClientOf } from "../../lib/web/client.ts";
import { endpoint, endpoints } from "../../lib/web/endpoints/endpoint.ts";
import { reply } from "../../lib/web/endpoints/reply.ts";
import { LoginSchema } from "../../lib/sign_in/schema.ts";
import { LoggedIn } from "../../lib/accounts/schema.ts";

export const handler = endpoints({
  POST: endpoint({
    operationId: "logIn",
    summary: "Log in",
    description: "Opens a session. Send its cookie with every further request.",
    caller: "public",
    tokens: "session",
    whileClosing: "open",
    body: LoginSchema,
    returns: { 200: LoggedIn },
    sends: ["Set-Cookie"],
    errors: [
      "INVALID_CREDENTIALS",
      "PROVIDER_REQUIRED",
      "PASSWORDS_OFF",
      "EMAIL_NOT_VERIFIED",
      "SECOND_FACTOR_REQUIRED",
      "ACCOUNT_SUSPENDED",
    ],
    limit: "login",
  }, async ({ services, input, ctx }) => {
    const { user, session } = await login(services, input, await sessionClientOf(ctx));
    return reply(
      { success: true, message: "Login successful", user: loginView(user) },
      (success) => answerSignIn(ctx, session, success),
    );
  }),
});
