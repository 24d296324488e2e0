import { loginView } from "../../../lib/accounts/user_views.ts";
import { sessionClientOf } from "../../../lib/http/client.ts";
import { parseJson } from "../../../lib/http/input/parse.ts";
import { ok } from "../../../lib/http/json.ts";
import { requireSession } from "../../../lib/http/principal/second_step.ts";
import { withSessionCookie } from "../../../lib/http/principal/session_cookie.ts";
import { countRequest, limited } from "../../../lib/http/rate_limit.ts";
import { define } from "../../../lib/http/state.ts";
import { CodeLoginSchema } from "../../../lib/schemas/account.ts";
import { logInWithCode } from "../../../lib/sign_in/code_login.ts";

export const handler = define.handlers({
  POST: limited("login", async (ctx) => {
    const input = await parseJson(ctx.req, CodeLoginSchema);
    await countRequest(ctx);
    const { user, session } = await logInWithCode(ctx.state.services, input, await sessionClientOf(ctx));
    const response = ok({ success: true, message: "Login successful", user: loginView(user) });
    return withSessionCookie(response, requireSession(session), ctx.state.services);
  }),
});
