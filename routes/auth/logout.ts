import { logOut } from "../../lib/access/session.ts";
import { clientOf } from "../../lib/web/client.ts";
import { ok } from "../../lib/http/json.ts";
import { parseNoBody } from "../../lib/http/parse.ts";
import { requirePresentedSessions } from "../../lib/web/authentication/require_user.ts";
import { withoutSessionCookie } from "../../lib/web/authentication/session_cookie.ts";
import { define } from "../../lib/web/state.ts";

export const handler = define.handlers({
  async POST(ctx) {
    const ids = await requirePresentedSessions(ctx);
    await parseNoBody(ctx.req);
    const { services } = ctx.state;
    await logOut(services, ids, clientOf(ctx));
    return withoutSessionCookie(ok({ success: true, message: "Logged out" }), services);
  },
});
