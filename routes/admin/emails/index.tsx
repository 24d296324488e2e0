import { page } from "fresh";
import { listMailPage } from "../../../lib/admin/lists.ts";
import { parseFilters } from "../../../lib/http/parse.ts";
import { pageHandlers } from "../../../lib/web/pages/page_handlers.ts";
import { define } from "../../../lib/web/state.ts";
import { MailPageSchema } from "../../../lib/admin/schema.ts";
import { MAIL_STATUSES } from "../../../lib/schemas/states.ts";
import { Choice } from "../../../lib/ui/form/Choice.tsx";
import { PageLinks } from "../../../lib/ui/list/PageLinks.tsx";
import { Times } from "../../../lib/ui/list/Times.tsx";
import { mailName } from "../../../lib/texts/mail_name.ts";
import { textsIn } from "../../../lib/texts/texts.ts";
import { MailRow } from "../(_components)/MailRow.tsx";
import { AdminPage } from "../(_components)/AdminPage.tsx";

const PATH = "/admin/emails";
const PAGE_SIZE = 50;

export const handler = pageHandlers({ who: "admin", whileClosing: "refused" }, {
  async GET(ctx) {
    const { cursor, status } = parseFilters(ctx.url, MailPageSchema);
    const { data, nextCursor } = await listMailPage(ctx.state.services.db, { status, cursor, limit: PAGE_SIZE });
    return page({ mails: data, nextCursor, status, isFirst: cursor === undefined });
  },
});

export default define.page<typeof handler>(function EmailsPage({ data, state: { language } }) {
  const { mails, nextCursor, status, isFirst } = data;
  const { admin: { pages, list, mails: texts } } = textsIn(language);
  const statuses = MAIL_STATUSES.map((each): [typeof each, string] => [each, texts.statuses[each]]);
  return (
    <AdminPage language={language} title={pages.emails}>
      <p>{texts.lead}</p>
      <Times locale={language.locale} />
      <form class="actions no-print" action={PATH}>
        <Choice name="status" label={list.status} value={status} options={[["", list.any], ...statuses]} isBare />
        <button class="secondary" type="submit">{texts.filter}</button>
      </form>
      {mails.length === 0 ? <p class="empty">{texts.none}</p> : (
        <ul class="rows">
          {mails.map((mail) => (
            <MailRow
              key={mail.id}
              mail={mail}
              action={mail.status === "waiting" && (
                <a
                  class="button secondary small"
                  href={`${PATH}/${mail.id}/retry`}
                  aria-label={texts.retryNamed({ mail: mailName(language, mail.kind) })}
                >
                  {texts.retry}
                </a>
              )}
              language={language}
            />
          ))}
        </ul>
      )}
      <PageLinks path={PATH} filters={{ status }} nextCursor={nextCursor} isFirst={isFirst} texts={list} />
    </AdminPage>
  );
});
