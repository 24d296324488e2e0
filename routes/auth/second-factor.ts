import { loginView } from "../../lib/accounts/user_views.ts";
import { sessionClientOf } from "../../lib/http/client.ts";
import { parseJson } from "../../lib/http/input/parse.ts";
import { ok } from "../../lib/http/json.ts";
import { limited } from "../../lib/http/rate_limit.ts";
import { requireSecondStep, withoutSecondStepCookie } from "../../lib/http/principal/second_step.ts";
import { withSessionCookie } from "../../lib/http/principal/session_cookie.ts";
import { define } from "../../lib/http/state.ts";
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
