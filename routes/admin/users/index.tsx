import { page } from "fresh";
import { listAccounts, type ListedAccount } from "../../../lib/admin/account_list.ts";
import { parseFilters } from "../../../lib/http/parse.ts";
import { readList } from "../../../lib/web/long_list.ts";
import { pageHandlers } from "../../../lib/web/pages/page_handlers.ts";
import { define } from "../../../lib/web/state.ts";
import { AccountPageSchema } from "../../../lib/admin/schema.ts";
import { USER_STATUSES } from "../../../lib/schemas/states.ts";
import { EMAIL_MAX } from "../../../lib/schemas/credential_rules.ts";
import { cursorOfId } from "../../../lib/schemas/list.ts";
import { Moment } from "../../../lib/ui/account/Origin.tsx";
import { Choice } from "../../../lib/ui/form/Choice.tsx";
import { PageLinks } from "../../../lib/ui/list/PageLinks.tsx";
import { Row } from "../../../lib/ui/list/Row.tsx";
import { SearchForm } from "../../../lib/ui/list/SearchForm.tsx";
import { Times } from "../../../lib/ui/list/Times.tsx";
import { Page } from "../../../lib/ui/Page.tsx";
import { type Language, type Texts, textsIn } from "../../../lib/texts/texts.ts";
import { AccountTags } from "../(_components)/AccountTags.tsx";
import { Isolated } from "../../../lib/ui/Isolated.tsx";

const PATH = "/admin/users";
const PAGE_SIZE = 50;

export const handler = pageHandlers({ who: "admin", whileClosing: "refused" }, {
  async GET(ctx) {
    const { cursor, query = "", status } = parseFilters(ctx.url, AccountPageSchema);
    const filters = { query: query.trim(), status };
    const list = { ...filters, limit: PAGE_SIZE, after: cursor };
    const { accounts, next } = await readList(ctx, list, () => listAccounts(ctx.state.services.db, list));
    return page({ accounts, nextCursor: next && cursorOfId(next), filters, isFirst: cursor === undefined });
  },
});

export default define.page<typeof handler>(function AccountsPage({ data, state: { language } }) {
  const { accounts, nextCursor, filters, isFirst } = data;
  const { admin: { pages, list: texts } } = textsIn(language);
  const statuses = USER_STATUSES.map((status): [typeof status, string] => [status, texts.statuses[status]]);
  return (
    <Page title={pages.accounts}>
      <Times locale={language.locale} />
      <SearchForm
        action={PATH}
        query={filters.query}
        maxLength={EMAIL_MAX}
        filters={
          <Choice
            name="status"
            label={texts.status}
            value={filters.status}
            options={[["", texts.any], ...statuses]}
            isBare
          />
        }
        texts={texts}
      />
      {accounts.length === 0 ? <Empty texts={texts} /> : (
        <ul class="rows">
          {accounts.map((account) => <Account key={account.id} account={account} language={language} />)}
        </ul>
      )}
      <PageLinks path={PATH} filters={filters} nextCursor={nextCursor} isFirst={isFirst} texts={texts} />
    </Page>
  );
});

function Account({ account, language }: { account: ListedAccount; language: Language }) {
  const { id, name, email, createdAt, lastSeenAt } = account;
  const { list: texts } = textsIn(language).admin;
  return (
    <Row
      icon="person"
      title={
        <h2>
          <a href={`${PATH}/${id}`}>
            <Isolated>{name}</Isolated>
          </a>
        </h2>
      }
      tag={<AccountTags account={account} texts={texts} />}
    >
      <p class="meta">
        <Isolated isLtr>{email}</Isolated>
      </p>
      <p class="meta">
        {texts.created} <Moment date={createdAt} locale={language.locale} />
      </p>
      <p class="meta">
        {lastSeenAt === null ? texts.never : (
          <>
            {texts.lastSeen} <Moment date={lastSeenAt} locale={language.locale} />
          </>
        )}
      </p>
    </Row>
  );
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
