import { page } from "fresh";
import { logOut } from "../lib/access/session.ts";
import { clientOf } from "../lib/web/client.ts";
import { nextPath, withNext } from "../lib/web/pages/next_path.ts";
import { redirectWithNotice } from "../lib/web/pages/notice.ts";
import { withoutSessionCookie } from "../lib/web/authentication/session_cookie.ts";
import { presentedSessionIds } from "../lib/web/authentication/current_session.ts";
import { pageHandlers } from "../lib/web/pages/page_handlers.ts";
import { define } from "../lib/web/state.ts";
import { Page } from "../lib/ui/Page.tsx";
import { textsIn } from "../lib/texts/texts.ts";

export const handler = pageHandlers({
  who: "everyone",
  whileClosing: "open",
  whileWaiting: "open",
  limit: { none: "Ending access must always work, and each session ends once" },
}, {
  /**
   * Products link to this page. It asks, because another site could link to it too. Guests get the same page: after a
   * link from another site, the browser sends its session only with the form.
   */
  GET: () => page(),
  /** Without a session it succeeds too: the second click of a double click arrives without one. */
  async POST(ctx) {
    const { services } = ctx.state;
    await logOut(services, await presentedSessionIds(ctx), clientOf(ctx));
    return withoutSessionCookie(redirectWithNotice(ctx, nextPath(ctx) ?? "/login", "logged_out"), services);
  },
});

export default define.page(function LogoutPage({ url, state }) {
  const { signIn: { logout } } = textsIn(state.language);
  return (
    <Page title={logout.title} isAuth>
      <p>{logout.lead}</p>
      <form method="post" action={withNext("/logout", nextPath({ url, state }))}>
        <button type="submit">{logout.submit}</button>
      </form>
    </Page>
  );
});
