import { register } from "../../lib/accounts/registration.ts";
import { registrationView } from "../../lib/accounts/user_views.ts";
import { sessionClientOf } from "../../lib/http/client.ts";
import { created } from "../../lib/http/json.ts";
import { parseJson } from "../../lib/http/input/parse.ts";
import { countRequest, limited } from "../../lib/http/rate_limit.ts";
import { withSessionCookie } from "../../lib/http/principal/session_cookie.ts";
import { define } from "../../lib/http/state.ts";
import { RegistrationSchema } from "../../lib/schemas/account.ts";

const CHECK_EMAIL = "Registration successful. Please check your email to verify your account.";

export const handler = define.handlers({
  POST: limited("register", async (ctx) => {
    const input = await parseJson(ctx.req, RegistrationSchema);
    await countRequest(ctx);
    const { user, session } = await register(ctx.state.services, input, await sessionClientOf(ctx));
    const response = created({ success: true, message: CHECK_EMAIL, user: registrationView(user) });
    return withSessionCookie(response, session, ctx.state.services);
  }),
});
