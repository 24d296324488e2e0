import { finishSignIn } from "../../lib/sign_in/second_factor/finish_sign_in.ts";
import { loginView } from "../../lib/users/user_views.ts";
import { withoutSecondStepCookie } from "../../lib/web/authentication/sign_in_response.ts";
import { withSessionCookie } from "../../lib/web/authentication/session_cookie.ts";
import { requireSecondStep } from "../../lib/web/authentication/waiting_sign_in.ts";
import { sessionClientOf } from "../../lib/web/client.ts";
import { endpoint, endpoints } from "../../lib/web/endpoints/endpoint.ts";
import { reply } from "../../lib/web/endpoints/reply.ts";
import { SecondStepSchema } from "../../lib/sign_in/schema.ts";
import { LoggedIn } from "../../lib/accounts/schema.ts";

export const handler = endpoints({
  POST: endpoint({
    operationId: "completeSecondFactor",
    summary: "Complete a login with a second factor",
    description:
      "After a login that got 403 `SECOND_FACTOR_REQUIRED`, which set a cookie. `code` may be a recovery code. " +
      "`credential` is what `navigator.credentials.get` returns, as JSON, if `details.methods` lists `passkey`. " +
      "With `trustDevice`, later logins with the cookie `device` skip the second step for `TRUST_DEVICE_DAYS`; it has no " +
      "effect with a recovery code.",
    caller: "public",
    tokens: "session",
    whileClosing: "open",
    body: SecondStepSchema,
    returns: { 200: LoggedIn },
    sends: ["Set-Cookie"],
    errors: ["PROOF_WRONG", "PROVIDER_REQUIRED", "PASSWORDS_OFF", "ACCOUNT_SUSPENDED"],
    limit: "proof",
  }, async ({ services, input, ctx }) => {
    const waiting = await requireSecondStep(ctx);
    const client = await sessionClientOf(ctx);
    const { user, session } = await finishSignIn(services, waiting, { ...input, client });
    return reply(
      { success: true, message: "Login successful", user: loginView(user) },
      (response) => withoutSecondStepCookie(withSessionCookie(response, session, services), services.config),
    );
  }),
});
