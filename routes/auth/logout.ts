import { logOut } from "../../lib/accounts/sessions/session.ts";
import { clientOf } from "../../lib/http/client.ts";
import { ok } from "../../lib/http/json.ts";
import { parseNoBody } from "../../lib/http/input/parse.ts";
import { requirePresentedSessions } from "../../lib/http/principal/require_user.ts";
import { withoutSessionCookie } from "../../lib/http/principal/session_cookie.ts";
import { define } from "../../lib/http/state.ts";

export const handler = define.handlers({
  async POST(ctx) {
    const ids = await requirePresentedSessions(ctx);
    await parseNoBody(ctx.req);
    const { services } = ctx.state;
    await logOut(services, ids, clientOf(ctx));
    return withoutSessionCookie(ok({ success: true, message: "Logged out" }), services);
  },
});
