import { page } from "fresh";
import { readDevelopmentOutbox } from "../../lib/http/pages/development_outbox.ts";
import { define } from "../../lib/http/state.ts";
import { Page } from "../../lib/ui/Page.tsx";

export const handler = define.handlers({
  async GET(ctx) {
    return page({ mails: await readDevelopmentOutbox(ctx) }, { headers: { "Cache-Control": "no-store" } });
  },
});

export default define.page<typeof handler>(function OutboxPage({ data: { mails } }) {
  return (
    <Page title="Development outbox">
      <p class="lead">Mails that would have been sent. Only a browser on this machine sees this page.</p>
      {mails.length === 0 && <p>There is no mail yet. Register an account, and one appears here.</p>}
      {mails.map(({ to, subject, text, keptAt }, index) => (
        <article key={index} class="card">
          <h2>{subject}</h2>
          <p class="meta">
            To {to}, <time datetime={keptAt.toISOString()}>{keptAt.toLocaleString("en-GB")}</time>
          </p>
          <p class="mail-text">{withLinks(text)}</p>
        </article>
      ))}
    </Page>
  );
});

function withLinks(text: string) {
  return text.split(/(https?:\/\/\S+)/).map((part, index) =>
    index % 2 === 1 ? <a key={index} href={part}>{part}</a> : part
  );
}
