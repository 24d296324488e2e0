import { register, type Registered } from "../../lib/accounts/registration.ts";
import { registrationView } from "../../lib/users/user_views.ts";
import { sessionClientOf } from "../../lib/web/client.ts";
import { created } from "../../lib/http/json.ts";
import { decodeJson, readJson } from "../../lib/http/parse.ts";
import { runOncePerKey } from "../../lib/web/idempotency/idempotency_key.ts";
import { countRequest, limited } from "../../lib/web/middleware/rate_limit.ts";
import { withSessionCookie } from "../../lib/web/authentication/session_cookie.ts";
import { define } from "../../lib/web/state.ts";
import { RegistrationSchema } from "../../lib/schemas/account.ts";

const CHECK_EMAIL = "Registration successful. Please check your email to verify your account.";

export const handler = define.handlers({
  POST: limited("register", async (ctx) => {
    const { services } = ctx.state;
    const body = await readJson(ctx.req);
    // The key belongs to the client address, even with a session: a repetition may carry the one that registering opened.
    return await runOncePerKey(ctx, { body }, async (answerAtCommit) => {
      const input = decodeJson(body, RegistrationSchema);
      await countRequest(ctx);
      const respond = ({ user, session }: Registered) => {
        const response = created({ success: true, message: CHECK_EMAIL, user: registrationView(user) });
        return withSessionCookie(response, session, services);
      };
      return respond(await register(services, input, await sessionClientOf(ctx), answerAtCommit(respond)));
    });
  }),
});
