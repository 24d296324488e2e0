import { loginView } from "../../../lib/users/user_views.ts";
import { sessionClientOf } from "../../../lib/web/client.ts";
import { parseJson } from "../../../lib/http/parse.ts";
import { ok } from "../../../lib/http/json.ts";
import { withSessionCookie } from "../../../lib/web/authentication/session_cookie.ts";
import { countRequest, limited } from "../../../lib/web/middleware/rate_limit.ts";
import { define } from "../../../lib/web/state.ts";
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
