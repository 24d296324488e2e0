import { page } from "fresh";
import { countAccounts, listAccounts, type ListedAccount } from "../../../lib/admin/account_list.ts";
import { parseFilters } from "../../../lib/http/parse.ts";
import { readList } from "../../../lib/web/long_list.ts";
import { pageHandlers } from "../../../lib/web/pages/page_handlers.ts";
import { define } from "../../../lib/web/state.ts";
import { AccountPageSchema } from "../../../lib/admin/schema.ts";
import { EMAIL_MAX } from "../../../lib/schemas/credential_rules.ts";
import { cursorOfId } from "../../../lib/schemas/list.ts";
import { CellTime } from "../../../lib/ui/list/CellTime.tsx";
import { PageLinks } from "../../../lib/ui/list/PageLinks.tsx";
import { SearchForm } from "../../../lib/ui/list/SearchForm.tsx";
import { type Column, Table } from "../../../lib/ui/list/Table.tsx";
import { Tabs } from "../../../lib/ui/list/Tabs.tsx";
import { Times } from "../../../lib/ui/list/Times.tsx";
import { type Language, type Texts, textsIn } from "../../../lib/texts/texts.ts";
import { AccountTags } from "../(_components)/AccountTags.tsx";
import { AdminPage } from "../(_components)/AdminPage.tsx";
import { PersonCell } from "../(_components)/PersonCell.tsx";

const PATH = "/admin/users";
const PAGE_SIZE = 50;

/** The parts of the list, and their addresses. */
const PARTS = {
  all: {},
  unverified: { status: "unverified" },
  suspended: { status: "suspended" },
  closing: { status: "closing" },
  admins: { role: "admin" },
  withoutFactor: { factor: "none" },
} as const satisfies Record<string, Record<string, string>>;

export const handler = pageHandlers({ who: "admin", whileClosing: "refused" }, {
  async GET(ctx) {
    const { services } = ctx.state;
    const { cursor, query = "", ...part } = parseFilters(ctx.url, AccountPageSchema);
    const filters = { query: query.trim(), ...part };
    const list = { ...filters, limit: PAGE_SIZE, after: cursor };
    const { accounts, next } = await readList(ctx, list, () => listAccounts(services, list));
    const nextCursor = next && cursorOfId(next);
    return page({
      accounts,
      nextCursor,
      filters,
      isFirst: cursor === undefined,
      counts: await countAccounts(services.db),
    });
  },
});

export default define.page<typeof handler>(function AccountsPage({ data, state: { language } }) {
  const { accounts, nextCursor, filters, isFirst, counts } = data;
  const { query, ...part } = filters;
  const { admin } = textsIn(language);
  const { pages, list: texts, overview } = admin;
  const address = (filters: Record<string, string>) => new URLSearchParams(filters).toString();
  const tabs = (Object.keys(PARTS) as (keyof typeof PARTS)[]).map((name) => {
    const search = address(PARTS[name]);
    const href = search === "" ? PATH : `${PATH}?${search}`;
    return {
      href,
      text: overview[name],
      count: admin.counted({ ...counts[name] }),
      isCurrent: search === address(part),
    };
  });
  return (
    <AdminPage title={pages.accounts} language={language}>
      <Times locale={language.locale} />
      <Tabs label={texts.status} tabs={tabs} />
      <SearchForm
        action={PATH}
        query={query}
        maxLength={EMAIL_MAX}
        autofocus
        filters={Object.entries(part).map(([name, value]) => (
          <input key={name} type="hidden" name={name} value={value} />
        ))}
        texts={texts}
      />
      {accounts.length === 0
        ? <Empty texts={texts} />
        : <Table label={pages.accounts} columns={columnsIn(language)} entries={accounts} />}
      <PageLinks path={PATH} filters={filters} nextCursor={nextCursor} isFirst={isFirst} texts={texts} />
    </AdminPage>
  );
});

function columnsIn(language: Language): Column<ListedAccount>[] {
  const { locale, texts: { admin: { list: texts } } } = language;
  const { heads } = texts;
  return [
    { head: heads.person, is: "title", cell: (account) => <PersonCell {...account} /> },
    { head: texts.status, is: "end", cell: (account) => <AccountTags account={account} texts={texts} /> },
    {
      head: heads.joined,
      is: "extra",
      label: heads.joined,
      cell: ({ createdAt }) => <CellTime date={createdAt} isDay locale={locale} />,
    },
    {
      head: heads.lastSeen,
      label: texts.lastSeen,
      cell: ({ lastSeenAt }) => lastSeenAt && <CellTime date={lastSeenAt} isDay locale={locale} />,
    },
  ];
}

function Empty({ texts }: { texts: Texts["admin"]["list"] }) {
  return (
    <div class="empty">
      <h2>{texts.none}</h2>
      <p class="meta">{texts.noneHint}</p>
      <a class="button secondary" href={PATH}>{texts.showAll}</a>
    </div>
  );
}
