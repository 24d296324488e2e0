import { logOut } from "../lib/access/session.ts";
import { clientOf } from "../lib/web/client.ts";
import { redirectWithNotice } from "../lib/web/pages/notice.ts";
import { withoutSessionCookie } from "../lib/web/authentication/session_cookie.ts";
import { presentedSessionIds } from "../lib/web/authentication/current_session.ts";
import { limited } from "../lib/web/middleware/rate_limit.ts";
import { define } from "../lib/web/state.ts";

export const handler = define.handlers({
  /** Without a session it succeeds too: the second click of a double click arrives without one. */
  POST: limited({ none: "Ending access must always work, and each session ends once" }, async (ctx) => {
    const { services } = ctx.state;
    await logOut(services, await presentedSessionIds(ctx), clientOf(ctx));
    return withoutSessionCookie(redirectWithNotice(ctx, "/", "logged_out"), services);
  }),
}, { whileClosing: "open" });
