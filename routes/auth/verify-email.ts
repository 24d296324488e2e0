import { verifyEmail } from "../../lib/sign_in/email_verification.ts";
import { currentSession } from "../../lib/web/authentication/current_session.ts";
import { clientOf } from "../../lib/web/client.ts";
import { endpoint, endpoints } from "../../lib/web/endpoints/endpoint.ts";
import { EmailVerificationSchema } from "../../lib/sign_in/schema.ts";
import { Done } from "../../lib/schemas/views.ts";

const VERIFIED = "Email verified. You can log in now.";
const REJECTED = "The account has been deleted.";

export const handler = endpoints({
  POST: endpoint({
    operationId: "verifyEmail",
    summary: "Confirm an email address",
    description: "`token` is in the emailed link. With `reject: true`, the unconfirmed account is deleted.",
    caller: "public",
    whileClosing: "open",
    whileWaiting: "open",
    body: EmailVerificationSchema,
    returns: { 200: Done },
    errors: ["INVALID_TOKEN", "LAST_ADMIN"],
    limit: "guess",
  }, async ({ services, input, ctx }) => {
    const session = await currentSession(ctx);
    await verifyEmail(services, input, { client: clientOf(ctx), currentSessionId: session?.id });
    return { success: true, message: input.reject ? REJECTED : VERIFIED };
  }),
});
