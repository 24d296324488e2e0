import { loginView } from "../../../lib/users/user_views.ts";
import { sessionClientOf } from "../../../lib/web/client.ts";
import { parseJson } from "../../../lib/http/parse.ts";
import { ok } from "../../../lib/http/json.ts";
import { requireSession } from "../../../lib/web/authentication/second_step.ts";
import { withSessionCookie } from "../../../lib/web/authentication/session_cookie.ts";
import { countRequest, limited } from "../../../lib/web/middleware/rate_limit.ts";
import { define } from "../../../lib/web/state.ts";
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
