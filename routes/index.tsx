import { page } from "fresh";
import { asset } from "fresh/runtime";
import { currentSession } from "../lib/web/authentication/current_session.ts";
import { define } from "../lib/web/state.ts";
import { Page } from "../lib/ui/Page.tsx";
import { textsIn } from "../lib/texts/texts.ts";

export const handler = define.handlers({
  GET: async (ctx) => await currentSession(ctx) === null ? page() : ctx.redirect("/dashboard", 303),
});

export default define.page<typeof handler>(function HomePage({ state }) {
  const texts = textsIn(state.language).home;
  const isOpen = state.services.config.registration === "open";
  return (
    <Page title={texts.title} styles="/home.css">
      <div class="hero">
        <div>
          <p class="lead">{texts.lead}</p>
          <p class="actions">
            {isOpen && <a class="button" href="/register">{texts.createAccount}</a>}
            <a class={isOpen ? "button secondary" : "button"} href="/login">{texts.logIn}</a>
          </p>
        </div>
        <img src={asset("/mark.svg")} alt="" width="160" height="160" />
      </div>
      <ul class="cards">
        {texts.cards.map(([title, text]) => (
          <li key={title} class="card">
            <h2>{title}</h2>
            <p>{text}</p>
          </li>
        ))}
      </ul>
      {!state.services.config.isProduction && (
        <p class="meta">
          {texts.forDevelopers} <a href="/api/health">/api/health</a> <a href="/api/users">/api/users</a>
        </p>
      )}
    </Page>
  );
});
