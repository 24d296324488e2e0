import { register, type Registered as NewAccount } from "../../lib/accounts/registration.ts";
import { registrationView } from "../../lib/users/user_views.ts";
import { withSessionCookie } from "../../lib/web/authentication/session_cookie.ts";
import { sessionClientOf } from "../../lib/web/client.ts";
import { endpoint, endpoints } from "../../lib/web/endpoints/endpoint.ts";
import { reply } from "../../lib/web/endpoints/reply.ts";
import { RegistrationSchema } from "../../lib/sign_in/schema.ts";
import { Registered } from "../../lib/accounts/schema.ts";

const CHECK_EMAIL = "Registration successful. Please check your email to verify your account.";

export const handler = endpoints({
  POST: endpoint({
    operationId: "register",
    summary: "Create an account",
    description: "Emails a link that confirms the address, and opens a session. REGISTRATION may close it.",
    caller: "public",
    tokens: "session",
    whileClosing: "open",
    body: RegistrationSchema,
    returns: { 201: Registered },
    sends: ["Set-Cookie"],
    errors: ["PROVIDER_REQUIRED", "REGISTRATION_CLOSED", "PASSWORDS_OFF", "EMAIL_TAKEN"],
    isRepeatable: true,
    limit: "register",
  }, async ({ services, input, ctx, atCommit }) => {
    const answer = ({ user, session }: NewAccount) =>
      reply(
        { success: true, message: CHECK_EMAIL, user: registrationView(user) },
        (response) => withSessionCookie(response, session, services),
      );
    return answer(await register(services, input, await sessionClientOf(ctx), atCommit(answer)));
  }),
});
