import { page } from "fresh";
import { currentSession } from "../lib/web/authentication/current_session.ts";
import { pageAfterLogin } from "../lib/web/pages/next_path.ts";
import { pageHandlers } from "../lib/web/pages/page_handlers.ts";
import { define } from "../lib/web/state.ts";
import { Page } from "../lib/ui/Page.tsx";
import { textsIn } from "../lib/texts/texts.ts";
import { seesPeople } from "../lib/users/user_visibility.ts";

export const handler = pageHandlers({ who: "everyone", whileClosing: "refused" }, {
  GET: async (ctx) => await currentSession(ctx) === null ? page() : ctx.redirect(pageAfterLogin(ctx.state), 303),
});

export default define.page<typeof handler>(function HomePage({ state }) {
  const texts = textsIn(state.language).home;
  const { config } = state.services;
  const { registration, isProduction } = config;
  const isOpen = registration === "open";
  return (
    <Page title={texts.title} styles="/home.css">
      <p class="lead">{isOpen ? texts.lead : texts.leadClosed}</p>
      <p class="actions">
        <a class="button" href="/login">{texts.logIn}</a>
        {isOpen && <a class="button secondary" href="/register">{texts.createAccount}</a>}
      </p>
      {!isProduction && (
        <p class="meta">
          {texts.forDevelopers} <a href="/api/health" dir="ltr">/api/health</a>
          {seesPeople(null, config) && (
            <>
              {" "}
              <a href="/api/users" dir="ltr">/api/users</a>
            </>
          )}
        </p>
      )}
    </Page>
  );
});
