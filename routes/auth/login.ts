import { login } from "../../lib/sign_in/login.ts";
import { loginView } from "../../lib/users/user_views.ts";
import { sessionClientOf } from "../../lib/web/client.ts";
import { ok } from "../../lib/http/json.ts";
import { parseJson } from "../../lib/http/parse.ts";
import { countRequest, limited } from "../../lib/web/middleware/rate_limit.ts";
import { answerSignIn } from "../../lib/web/authentication/second_step.ts";
import { define } from "../../lib/web/state.ts";
import { LoginSchema } from "../../lib/schemas/account.ts";

export const handler = define.handlers({
  POST: limited("login", async (ctx) => {
    const input = await parseJson(ctx.req, LoginSchema);
    await countRequest(ctx);
    const { user, session } = await login(ctx.state.services, input, await sessionClientOf(ctx));
    const success = ok({ success: true, message: "Login successful", user: loginView(user) });
    return await answerSignIn(ctx, session, success);
  }),
});
