import { verifyEmail } from "../../lib/sign_in/email_verification.ts";
import { clientOf } from "../../lib/web/client.ts";
import { ok } from "../../lib/http/json.ts";
import { parseJson } from "../../lib/http/parse.ts";
import { currentSession } from "../../lib/web/authentication/current_session.ts";
import { define } from "../../lib/web/state.ts";
import { EmailVerificationSchema } from "../../lib/schemas/account.ts";

const VERIFIED = "Email verified. You can log in now.";
const REJECTED = "The account has been deleted.";

export const handler = define.handlers({
  async POST(ctx) {
    const input = await parseJson(ctx.req, EmailVerificationSchema);
    const session = await currentSession(ctx);
    await verifyEmail(ctx.state.services, input, { client: clientOf(ctx), currentSessionId: session?.id });
    return ok({ success: true, message: input.reject ? REJECTED : VERIFIED });
  },
});
