import { logInWithCode } from "../../../lib/sign_in/code_login.ts";
import { loginView } from "../../../lib/users/user_views.ts";
import { answerSignIn } from "../../../lib/web/authentication/sign_in_response.ts";
import { sessionClientOf } from "../../../lib/web/client.ts";
import { endpoint, endpoints } from "../../../lib/web/endpoints/endpoint.ts";
import { reply } from "../../../lib/web/endpoints/reply.ts";
import { requireSignInCodes } from "../../../lib/config/features.ts";
import { CodeLoginSchema } from "../../../lib/sign_in/schema.ts";
import { LoggedIn } from "../../../lib/accounts/schema.ts";

export const handler = endpoints({
  POST: endpoint({
    operationId: "logInWithCode",
    summary: "Log in with an emailed code",
    caller: "public",
    tokens: "session",
    whileClosing: "open",
    requireFeature: requireSignInCodes,
    body: CodeLoginSchema,
    returns: { 200: LoggedIn },
    sends: ["Set-Cookie"],
    errors: [
      "INVALID_CREDENTIALS",
      "PROVIDER_REQUIRED",
      "EMAIL_NOT_VERIFIED",
      "SECOND_FACTOR_REQUIRED",
      "ACCOUNT_SUSPENDED",
    ],
    limit: "login",
  }, async ({ services, input, ctx }) => {
    const { user, session } = await logInWithCode(services, input, await sessionClientOf(ctx));
    return reply(
      { success: true, message: "Login successful", user: loginView(user) },
      (success) => answerSignIn(ctx, session, success),
    );
  }),
});
