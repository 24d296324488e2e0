import { loginView } from "../../../lib/users/user_views.ts";
import { sessionClientOf } from "../../../lib/web/client.ts";
import { parseJson } from "../../../lib/http/parse.ts";
import { ok } from "../../../lib/http/json.ts";
import { answerSignIn } from "../../../lib/web/authentication/second_step.ts";
import { countRequest, limited } from "../../../lib/web/middleware/rate_limit.ts";
import { define } from "../../../lib/web/state.ts";
import { CodeLoginSchema } from "../../../lib/schemas/account.ts";
import { logInWithCode } from "../../../lib/sign_in/code_login.ts";

export const handler = define.handlers({
  POST: limited("login", async (ctx) => {
    const input = await parseJson(ctx.req, CodeLoginSchema);
    await countRequest(ctx);
    const { user, session } = await logInWithCode(ctx.state.services, input, await sessionClientOf(ctx));
    const success = ok({ success: true, message: "Login successful", user: loginView(user) });
    return await answerSignIn(ctx, session, success);
  }),
});
