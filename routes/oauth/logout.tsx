import type { Context } from "fresh";
import { type ActiveSession, logOut } from "../../lib/access/session.ts";
import { type LogoutRequest, readLogoutRequest } from "../../lib/authorization_server/logout/logout_request.ts";
import { parseFormPairs } from "../../lib/http/text_body.ts";
import { isInAdvance } from "../../lib/web/oauth/navigation.ts";
import { currentSession, dropSession, presentedSessionIds } from "../../lib/web/authentication/current_session.ts";
import { useRequestedLanguage } from "../../lib/web/oauth/request_language.ts";
import { withoutSessionCookie } from "../../lib/web/authentication/session_cookie.ts";
import { clientOf } from "../../lib/web/client.ts";
import { LINK_PAGE_HEADERS } from "../../lib/web/middleware/no_index.ts";
import { requireOwnOrigin } from "../../lib/web/middleware/same_origin.ts";
import { moveOn } from "../../lib/web/pages/leaves.tsx";
import { pageAfterLogin } from "../../lib/web/pages/next_path.ts";
import { renderPage } from "../../lib/web/pages/page_viewer.ts";
import { endHop, hop, needsHop } from "../../lib/web/pages/same_site_hop.tsx";
import { pageHandlers } from "../../lib/web/pages/page_handlers.ts";
import type { State } from "../../lib/web/state.ts";
import { textsIn } from "../../lib/texts/texts.ts";
import { LoggedOut } from "./(_components)/LoggedOut.tsx";
import { LogoutQuestion } from "./(_components)/LogoutQuestion.tsx";

const PATH = "/oauth/logout";
/** What an app may send. Everything else in its form is dropped. */
const PARAMETERS = ["id_token_hint", "client_id", "post_logout_redirect_uri", "state", "ui_locales"];
/** The button of the page that asks. */
const ANSWER_FIELD = "answer";

/** Apps send people here to log out. Source: OpenID Connect RP-Initiated Logout. */
export const handler = pageHandlers({
  who: "everyone",
  whileClosing: "open",
  whileWaiting: "open",
  limit: { none: "Ending access must always work, and each session ends once" },
  refusesHead: true, // it would end the session, as GET does
}, {
  async GET(ctx) {
    if ((await presentedSessionIds(ctx)).length === 0 && needsHop(ctx)) return await hop(ctx);
    return endHop(ctx, await respond(ctx, await readLogoutRequest(ctx.state.services, ctx.url.searchParams)));
  },
  /** A form of an app is sent again as a query, which shows the page. Ours has the same query, and a button. */
  async POST(ctx) {
    const { services } = ctx.state;
    const pairs = await parseFormPairs(ctx.req);
    if (!pairs.some(([name]) => name === ANSWER_FIELD)) {
      return ctx.redirect(pathWith(pairs.filter(([name]) => PARAMETERS.includes(name))), 303);
    }
    requireOwnOrigin(ctx);
    useLanguageOfApp(ctx, await currentSession(ctx));
    return await endSession(ctx, await readLogoutRequest(services, ctx.url.searchParams));
  },
});

/** Ends the session at once only for an app that the person has used in it: no one else has this hint. */
async function respond(ctx: Context<State>, request: LogoutRequest): Promise<Response> {
  useLanguageOfApp(ctx, await currentSession(ctx));
  if ((await presentedSessionIds(ctx)).length === 0) return await leave(ctx, request);
  const session = await currentSession(ctx);
  const isKnown = session !== null && request.hint?.sessionId === session.id && request.hint.userId === session.user.id;
  if (isKnown && !isInAdvance(ctx.req)) return await endSession(ctx, request);
  const content = (
    <LogoutQuestion
      user={session?.user ?? null}
      action={PATH + ctx.url.search}
      stayHref={pageAfterLogin(ctx.state)}
      texts={textsIn(ctx.state.language).signIn.logout}
    />
  );
  return await renderPage(ctx, content, { headers: LINK_PAGE_HEADERS });
}

function useLanguageOfApp(ctx: Context<State>, session: ActiveSession | null): void {
  const languages = ctx.url.searchParams.get("ui_locales")?.split(" ") ?? [];
  useRequestedLanguage(ctx, { languages, session });
}

/** As the page /logout does. */
async function endSession(ctx: Context<State>, request: LogoutRequest): Promise<Response> {
  const { services } = ctx.state;
  await logOut(services, await presentedSessionIds(ctx), clientOf(ctx));
  dropSession(ctx);
  return withoutSessionCookie(await leave(ctx, request), services);
}

/** Goes back to the app, or says that no one is logged in. A reload must not send the form again. */
async function leave(ctx: Context<State>, { wayBack }: LogoutRequest): Promise<Response> {
  if (wayBack !== null) {
    const { returnTo } = textsIn(ctx.state.language).authorize;
    return await moveOn(ctx, wayBack.address, returnTo({ app: wayBack.client.name }));
  }
  if (ctx.req.method === "POST") {
    return ctx.redirect(pathWith([...ctx.url.searchParams].filter(([name]) => name === "ui_locales")), 303);
  }
  return await renderPage(ctx, <LoggedOut texts={textsIn(ctx.state.language)} />, { headers: LINK_PAGE_HEADERS });
}

function pathWith(pairs: [name: string, value: string][]): string {
  return pairs.length === 0 ? PATH : `${PATH}?${new URLSearchParams(pairs)}`;
}
