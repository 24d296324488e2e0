import { page } from "fresh";
import { listFolderMails } from "../../lib/web/pages/mail_folder.ts";
import { define } from "../../lib/web/state.ts";
import { Page } from "../../lib/ui/Page.tsx";
import { formatMoment } from "../../lib/texts/date_format.ts";
import { textsIn } from "../../lib/texts/texts.ts";

export const handler = define.handlers({
  async GET(ctx) {
    return page({ mails: await listFolderMails(ctx) }, { headers: { "Cache-Control": "no-store" } });
  },
});

export default define.page<typeof handler>(function OutboxPage({ data: { mails }, state }) {
  const { outbox: texts } = textsIn(state.language).frame;
  return (
    <Page title={texts.title}>
      <p class="lead">{texts.lead}</p>
      {mails.length === 0 && <p>{texts.empty}</p>}
      {mails.map(({ to, subject, text, storedAt }, index) => (
        <article key={index} class="card">
          <h2 dir="auto">{subject}</h2>
          <p class="meta">
            {texts.to({ address: to })},{" "}
            <time datetime={storedAt.toISOString()}>{`${formatMoment(storedAt, state.language.locale)} UTC`}</time>
          </p>
          <p class="mail-text" dir="auto">
            <WithLinks text={text} />
          </p>
        </article>
      ))}
    </Page>
  );
});

/** A text with its URLs as links. It is a component because Preact would escape the strings of an array twice. */
function WithLinks({ text }: { text: string }) {
  return text.split(/(https?:\/\/\S+)/).map((part, index) =>
    index % 2 === 1 ? <a key={index} href={part}>{part}</a> : part
  );
}
