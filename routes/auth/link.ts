import { logInWithLink } from "../../lib/sign_in/login_link.ts";
import { answerSignIn } from "../../lib/web/authentication/sign_in_response.ts";
import { sessionClientOf } from "../../lib/web/client.ts";
import { endpoint, endpoints } from "../../lib/web/endpoints/endpoint.ts";
import { reply } from "../../lib/web/endpoints/reply.ts";
import { LoginLinkSchema } from "../../lib/sign_in/schema.ts";
import { Done } from "../../lib/schemas/views.ts";

export const handler = endpoints({
  POST: endpoint({
    operationId: "logInWithLink",
    summary: "Log in with a link that works once",
    description:
      "Opens a session. `token` is in the link of an invitation or of a recovery where `PASSWORDS` gives no one a new " +
      "password, and in that of the command `users link`.",
    caller: "public",
    tokens: "session",
    whileClosing: "open",
    body: LoginLinkSchema,
    returns: { 200: Done },
    sends: ["Set-Cookie"],
    errors: ["INVALID_TOKEN", "PROVIDER_REQUIRED", "EMAIL_NOT_VERIFIED", "SECOND_FACTOR_REQUIRED", "ACCOUNT_SUSPENDED"],
    limit: "guess",
  }, async ({ services, input, ctx }) => {
    const { session } = await logInWithLink(services, input, await sessionClientOf(ctx));
    return reply({ success: true, message: "Login successful" }, (success) => answerSignIn(ctx, session, success));
  }),
});
