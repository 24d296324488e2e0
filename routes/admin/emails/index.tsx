import { page } from "fresh";
import { countMails, listMailPage } from "../../../lib/admin/lists.ts";
import { parseFilters } from "../../../lib/http/parse.ts";
import { pageHandlers } from "../../../lib/web/pages/page_handlers.ts";
import { define } from "../../../lib/web/state.ts";
import { MailPageSchema } from "../../../lib/admin/schema.ts";
import { PageLinks } from "../../../lib/ui/list/PageLinks.tsx";
import { Tabs } from "../../../lib/ui/list/Tabs.tsx";
import { Times } from "../../../lib/ui/list/Times.tsx";
import { textsIn } from "../../../lib/texts/texts.ts";
import { AdminPage } from "../(_components)/AdminPage.tsx";
import { MailTable } from "../(_components)/MailTable.tsx";

const PATH = "/admin/emails";
const PAGE_SIZE = 50;
/** The parts of the list: first those that may need someone. */
const PARTS = ["waiting", "failed", "sent"] as const;

export const handler = pageHandlers({ who: "admin", whileClosing: "refused" }, {
  async GET(ctx) {
    const { services: { db } } = ctx.state;
    const { cursor, status } = parseFilters(ctx.url, MailPageSchema);
    const { data, nextCursor } = await listMailPage(db, { status, cursor, limit: PAGE_SIZE });
    return page({ mails: data, nextCursor, status, isFirst: cursor === undefined, counts: await countMails(db) });
  },
});

export default define.page<typeof handler>(function EmailsPage({ data, state: { language } }) {
  const { mails, nextCursor, status, isFirst, counts } = data;
  const { admin } = textsIn(language);
  const { pages, list, mails: texts } = admin;
  const tabs = PARTS.map((part) => ({
    href: `${PATH}?status=${part}`,
    text: texts.parts[part],
    count: part === "sent" ? undefined : admin.counted({ ...counts[part] }),
    isCurrent: part === status,
  }));
  return (
    <AdminPage language={language} title={pages.emails}>
      <p>{texts.lead}</p>
      <Times locale={language.locale} />
      <Tabs
        label={list.status}
        tabs={[...tabs, { href: PATH, text: texts.parts.all, isCurrent: status === undefined }]}
      />
      {mails.length === 0
        ? <p class="empty">{texts.none}</p>
        : <MailTable label={pages.emails} mails={mails} canRetry language={language} />}
      <PageLinks path={PATH} filters={{ status }} nextCursor={nextCursor} isFirst={isFirst} texts={list} />
    </AdminPage>
  );
});
