import { page } from "fresh";
import { listFolderMails } from "../../lib/web/pages/mail_folder.ts";
import { pageHandlers } from "../../lib/web/pages/page_handlers.ts";
import { define } from "../../lib/web/state.ts";
import { Page } from "../../lib/ui/Page.tsx";
import { formatMoment } from "../../lib/texts/date_format.ts";
import { textsIn } from "../../lib/texts/texts.ts";
import { MailHtml } from "./(_components)/MailHtml.tsx";
import { MailText } from "./(_components)/MailText.tsx";

export const handler = pageHandlers({ who: "everyone", whileClosing: "refused" }, {
  async GET(ctx) {
    return page({ mails: await listFolderMails(ctx) }, { headers: { "Cache-Control": "no-store" } });
  },
});

export default define.page<typeof handler>(function OutboxPage({ data: { mails }, state }) {
  const { outbox: texts } = textsIn(state.language).frame;
  return (
    <Page title={texts.title}>
      <p class="lead">{texts.lead}</p>
      <p>
        <a href="/dev/emails">{texts.allKinds}</a>
      </p>
      {mails.length === 0 && <p>{texts.empty}</p>}
      {mails.map(({ to, subject, text, html, storedAt }, index) => (
        <article key={index} class="card">
          <h2 dir="auto">{subject}</h2>
          <p class="meta">
            {texts.to({ address: to })},{" "}
            <time datetime={storedAt.toISOString()}>{`${formatMoment(storedAt, state.language.locale)} UTC`}</time>
          </p>
          <MailText text={text} />
          <details>
            <summary>{texts.html}</summary>
            <MailHtml subject={subject} html={html} />
          </details>
        </article>
      ))}
    </Page>
  );
});
