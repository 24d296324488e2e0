import { requestPasswordReset } from "../../lib/sign_in/password_reset.ts";
import { endpoint, endpoints } from "../../lib/web/endpoints/endpoint.ts";
import { ForgotPasswordSchema } from "../../lib/sign_in/schema.ts";
import { Done } from "../../lib/schemas/views.ts";

const LINK_SENT = "If an account uses this address, an email with a link to reset the password is on its way.";

export const handler = endpoints({
  POST: endpoint({
    operationId: "sendPasswordReset",
    summary: "Email a link that resets the password",
    description: "The response is the same for every address.",
    caller: "public",
    tokens: "session",
    whileClosing: "open",
    body: ForgotPasswordSchema,
    returns: { 200: Done },
    errors: ["PROVIDER_REQUIRED", "PASSWORDS_OFF"],
    limit: "mail",
  }, async ({ services, input }) => {
    await requestPasswordReset(services, input);
    return { success: true, message: LINK_SENT };
  }),
});
