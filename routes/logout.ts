import { logOut } from "../lib/accounts/sessions/session.ts";
import { clientOf } from "../lib/http/client.ts";
import { redirectWithNotice } from "../lib/http/pages/notice.ts";
import { withoutSessionCookie } from "../lib/http/principal/session_cookie.ts";
import { define } from "../lib/http/state.ts";

export const handler = define.handlers({
  /** Without a session it succeeds too: the second click of a double click arrives without one. */
  async POST(ctx) {
    const { services } = ctx.state;
    await logOut(services, await ctx.state.presentedSessionIds(), clientOf(ctx));
    return withoutSessionCookie(redirectWithNotice(ctx, "/", "logged_out"), services);
  },
});
