import { page } from "fresh";
import { USER_PAGE_SIZE } from "../../lib/users/user_directory.ts";
import { parsePageQuery } from "../../lib/http/parse.ts";
import { pageHandlers } from "../../lib/web/pages/page_handlers.ts";
import { define } from "../../lib/web/state.ts";
import { readList } from "../../lib/web/long_list.ts";
import { listPeople } from "../../lib/web/people_list.ts";
import { UserPageSchema } from "../../lib/schemas/list.ts";
import { NAME_MAX } from "../../lib/schemas/user_rules.ts";
import { Avatar } from "../../lib/ui/Avatar.tsx";
import { SearchForm } from "../../lib/ui/list/SearchForm.tsx";
import { JoinedAt } from "../../lib/ui/JoinedAt.tsx";
import { Page } from "../../lib/ui/Page.tsx";
import { type Texts, textsIn } from "../../lib/texts/texts.ts";
import { Isolated } from "../../lib/ui/Isolated.tsx";

export const handler = pageHandlers({ who: "seesPeople", whileClosing: "refused" }, {
  async GET(ctx) {
    const { cursor, query = "" } = parsePageQuery(ctx.url, UserPageSchema);
    const list = { cursor, query, limit: USER_PAGE_SIZE };
    const found = await readList(ctx, list, () => listPeople(ctx, list));
    const { registration } = ctx.state.services.config;
    return page({ ...found, query: query.trim(), isFirst: cursor === undefined, registration });
  },
});

export default define.page<typeof handler>(function UsersPage({ data, state }) {
  const { users, nextCursor, query, isFirst, registration } = data;
  const { people: texts, invite } = textsIn(state.language);
  const canInvite = state.viewer !== null && registration !== "closed";
  return (
    <Page
      title={texts.title}
      windowTitle={query === "" ? undefined : texts.searchedFor({ query })}
      description={texts.description}
    >
      {(users.length > 0 || query !== "") && (
        <SearchForm action="/users" query={query} maxLength={NAME_MAX} texts={texts}>
          {canInvite && <a class="button secondary" href="/invite">{invite.title}</a>}
        </SearchForm>
      )}
      {users.length === 0
        ? <Empty query={query} isFirst={isFirst} isOpen={registration === "open"} texts={texts} />
        : (
          <ul class="people">
            {users.map(({ id, name, avatar, createdAt }) => (
              <li key={id}>
                <a class="card person-link" href={`/users/${id}`}>
                  <Avatar name={name} src={avatar} size={40} loading="lazy" />
                  <span>
                    <span class="person-name">
                      <Isolated>{name}</Isolated> {id === state.viewer?.id && <span class="tag">{texts.you}</span>}
                    </span>
                    <JoinedAt date={createdAt} label={texts.joined} locale={state.language.locale} />
                  </span>
                </a>
              </li>
            ))}
          </ul>
        )}
      {(!isFirst || nextCursor) && (
        <nav class="pages" aria-label={texts.pages}>
          {!isFirst && <a class="button secondary" href={pageHref({ query })}>{texts.firstPage}</a>}
          {nextCursor && (
            <a class="button secondary" rel="next" href={pageHref({ query, cursor: nextCursor })}>{texts.nextPage}</a>
          )}
        </nav>
      )}
    </Page>
  );
});

/** The address of a page of the list, or of what a search has found. */
function pageHref({ query, cursor }: { query: string; cursor?: string }): string {
  const parameters = new URLSearchParams({ ...(query !== "" && { query }), ...(cursor && { cursor }) });
  return parameters.size === 0 ? "/users" : `/users?${parameters}`;
}

interface EmptyProps {
  query: string;
  isFirst: boolean;
  isOpen: boolean;
  texts: Texts["people"];
}

function Empty({ query, isFirst, isOpen, texts }: EmptyProps) {
  if (!isFirst) return <p>{texts.noMore}</p>;
  if (query === "") {
    return (
      <p>
        {texts.none} {isOpen && <a href="/register">{texts.beFirst}</a>}
      </p>
    );
  }
  return (
    <div class="empty">
      <h2>{texts.noneFound}</h2>
      <p class="meta">{texts.noneFoundHint}</p>
      <a class="button secondary" href="/users">{texts.showAll}</a>
    </div>
  );
}
