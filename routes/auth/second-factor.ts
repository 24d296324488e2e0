import { loginView } from "../../lib/users/user_views.ts";
import { sessionClientOf } from "../../lib/web/client.ts";
import { parseJson } from "../../lib/http/parse.ts";
import { ok } from "../../lib/http/json.ts";
import { limited } from "../../lib/web/middleware/rate_limit.ts";
import { requireSecondStep, withoutSecondStepCookie } from "../../lib/web/authentication/second_step.ts";
import { withSessionCookie } from "../../lib/web/authentication/session_cookie.ts";
import { define } from "../../lib/web/state.ts";
import { SecondFactorSchema } from "../../lib/schemas/account.ts";
import { finishSignIn } from "../../lib/sign_in/second_factor/second_step.ts";

export const handler = define.handlers({
  POST: limited("proof", async (ctx) => {
    const { services } = ctx.state;
    const { code } = await parseJson(ctx.req, SecondFactorSchema);
    const waiting = await requireSecondStep(ctx);
    const { user, session } = await finishSignIn(services, waiting, { code, client: await sessionClientOf(ctx) });
    const response = ok({ success: true, message: "Login successful", user: loginView(user) });
    return withoutSecondStepCookie(withSessionCookie(response, session, services), services.config);
  }),
});
