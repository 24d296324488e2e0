import { loginView } from "../../../lib/accounts/user_views.ts";
import { sessionClientOf } from "../../../lib/http/client.ts";
import { parseJson } from "../../../lib/http/input/parse.ts";
import { ok } from "../../../lib/http/json.ts";
import { withSessionCookie } from "../../../lib/http/principal/session_cookie.ts";
import { countRequest, limited } from "../../../lib/http/rate_limit.ts";
import { define } from "../../../lib/http/state.ts";
import { PasskeyLoginSchema } from "../../../lib/schemas/passkey.ts";
import { logInWithPasskey } from "../../../lib/sign_in/passkeys/passkey_login.ts";

export const handler = define.handlers({
  POST: limited("login", async (ctx) => {
    const { credential } = await parseJson(ctx.req, PasskeyLoginSchema);
    await countRequest(ctx);
    const { user, session } = await logInWithPasskey(ctx.state.services, credential, await sessionClientOf(ctx));
    const response = ok({ success: true, message: "Login successful", user: loginView(user) });
    return withSessionCookie(response, session, ctx.state.services);
  }),
});
