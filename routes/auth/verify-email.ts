import { verifyEmail } from "../../lib/sign_in/email_verification.ts";
import { currentSession } from "../../lib/web/authentication/current_session.ts";
import { clientOf } from "../../lib/web/client.ts";
import { endpoint, endpoints } from "../../lib/web/endpoints/endpoint.ts";

const VERIFIED = "Email verified. You can log in now.";
const REJECTED = "The account has been deleted.";

export const handler = endpoints({
  POST: endpoint("POST /auth/verify-email", async ({ services, input, ctx }) => {
    const session = await currentSession(ctx);
    await verifyEmail(services, input, { client: clientOf(ctx), currentSessionId: session?.id });
    return { success: true, message: input.reject ? REJECTED : VERIFIED };
  }),
});
