import { page } from "fresh";
import { listExampleMails } from "../../lib/web/pages/mail_folder.ts";
import { pageHandlers } from "../../lib/web/pages/page_handlers.ts";
import { define } from "../../lib/web/state.ts";
import { Page } from "../../lib/ui/Page.tsx";
import { textsIn } from "../../lib/texts/texts.ts";
import { MailHtml } from "./(_components)/MailHtml.tsx";
import { MailText } from "./(_components)/MailText.tsx";

export const handler = pageHandlers({ who: "everyone", whileClosing: "refused" }, {
  GET(ctx) {
    const { byTag } = ctx.state.services.languages;
    const shown = byTag.get(ctx.url.searchParams.get("language") ?? "") ?? ctx.state.language;
    const data = { shown, mails: listExampleMails(ctx, shown), languages: [...byTag.values()] };
    return page(data, { headers: { "Cache-Control": "no-store" } });
  },
});

/** Every kind of email in one language, for developers and translators. */
export default define.page<typeof handler>(function EmailsPage({ data: { shown, mails, languages }, state }) {
  const { outbox: texts } = textsIn(state.language).frame;
  return (
    <Page title={texts.emails.title}>
      <p class="lead">{texts.emails.lead}</p>
      <nav class="actions" aria-label={texts.emails.languages}>
        {languages.map(({ tag, name }) => (
          <a
            key={tag}
            href={`/dev/emails?language=${tag}`}
            lang={tag}
            aria-current={tag === shown.tag ? "page" : undefined}
          >
            {name}
          </a>
        ))}
      </nav>
      {mails.map(({ kind, subject, text, html }) => (
        <article key={kind} class="card">
          <h2 lang={shown.tag} dir={shown.direction}>{subject}</h2>
          <p class="meta">
            <code>{kind}</code>
          </p>
          <MailHtml subject={subject} html={html} />
          <details>
            <summary>{texts.text}</summary>
            <div lang={shown.tag} dir={shown.direction}>
              <MailText text={text} />
            </div>
          </details>
        </article>
      ))}
    </Page>
  );
});
