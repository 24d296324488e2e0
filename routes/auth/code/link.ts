import { LoggedIn } from "../../../lib/accounts/schema.ts";
import { requireSignInCodes } from "../../../lib/config/features.ts";
import { logInWithCodeLink } from "../../../lib/sign_in/code_login.ts";
import { LinkTokenSchema } from "../../../lib/sign_in/schema.ts";
import { loginView } from "../../../lib/users/user_views.ts";
import { findLoginRequest } from "../../../lib/web/authentication/login_request.ts";
import { answerSignIn } from "../../../lib/web/authentication/sign_in_response.ts";
import { sessionClientOf } from "../../../lib/web/client.ts";
import { endpoint, endpoints } from "../../../lib/web/endpoints/endpoint.ts";
import { reply } from "../../../lib/web/endpoints/reply.ts";

export const handler = endpoints({
  POST: endpoint({
    operationId: "logInWithCodeLink",
    summary: "Log in with the link beside an emailed code",
    description:
      "`token` is in the link. It works once, only in the browser that asked for the code, and not after the code. " +
      "Elsewhere it gets 400 `INVALID_TOKEN`, and still works in that browser.",
    caller: "public",
    tokens: "session",
    whileClosing: "open",
    requireFeature: requireSignInCodes,
    body: LinkTokenSchema,
    returns: { 200: LoggedIn },
    sends: ["Set-Cookie"],
    errors: ["INVALID_TOKEN", "EMAIL_NOT_VERIFIED", "PROVIDER_REQUIRED", "SECOND_FACTOR_REQUIRED", "ACCOUNT_SUSPENDED"],
    limit: "guess",
  }, async ({ services, input: { token }, ctx }) => {
    const link = { token, requestToken: findLoginRequest(ctx.req, services.config) };
    const { user, session } = await logInWithCodeLink(services, link, await sessionClientOf(ctx));
    return reply(
      { success: true, message: "Login successful", user: loginView(user) },
      (success) => answerSignIn(ctx, session, success),
    );
  }),
});
