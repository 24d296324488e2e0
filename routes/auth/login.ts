import { login } from "../../lib/sign_in/login.ts";
import { loginView } from "../../lib/accounts/user_views.ts";
import { sessionClientOf } from "../../lib/http/client.ts";
import { ok } from "../../lib/http/json.ts";
import { parseJson } from "../../lib/http/input/parse.ts";
import { countRequest, limited } from "../../lib/http/rate_limit.ts";
import { requireSession } from "../../lib/http/principal/second_step.ts";
import { withSessionCookie } from "../../lib/http/principal/session_cookie.ts";
import { define } from "../../lib/http/state.ts";
import { LoginSchema } from "../../lib/schemas/account.ts";

export const handler = define.handlers({
  POST: limited("login", async (ctx) => {
    const input = await parseJson(ctx.req, LoginSchema);
    await countRequest(ctx);
    const { user, session } = await login(ctx.state.services, input, await sessionClientOf(ctx));
    const credential = requireSession(session);
    const response = ok({ success: true, message: "Login successful", user: loginView(user) });
    return withSessionCookie(response, credential, ctx.state.services);
  }),
});
