import { page } from "fresh";
import { listUsers, USER_PAGE_SIZE } from "../../lib/users/user_directory.ts";
import { parsePageQuery } from "../../lib/http/parse.ts";
import { define } from "../../lib/web/state.ts";
import { forViewer } from "../../lib/web/authentication/viewer.ts";
import { PageSchema } from "../../lib/schemas/list.ts";
import { Avatar } from "../../lib/ui/Avatar.tsx";
import { JoinedAt } from "../../lib/ui/JoinedAt.tsx";
import { Page } from "../../lib/ui/Page.tsx";
import { type Texts, textsIn } from "../../lib/texts/texts.ts";

export const handler = define.handlers({
  async GET(ctx) {
    const { cursor } = parsePageQuery(ctx.url, PageSchema);
    const query = { cursor, limit: USER_PAGE_SIZE, ...forViewer(ctx) };
    const { services } = ctx.state;
    const isOpen = services.config.registration === "open";
    return page({ ...await listUsers(services, query), isFirst: cursor === undefined, isOpen });
  },
});

export default define.page<typeof handler>(function UsersPage({ data: { users, nextCursor, isFirst, isOpen }, state }) {
  const texts = textsIn(state.language).people;
  return (
    <Page title={texts.title} description={texts.description}>
      {users.length === 0 && <Empty isFirst={isFirst} isOpen={isOpen} texts={texts} />}
      <ul class="people">
        {users.map(({ id, name, avatar, createdAt }) => (
          <li key={id}>
            <a class="card person-link" href={`/users/${id}`}>
              <Avatar name={name} src={avatar} size={40} />
              <span>
                <span class="person-name">
                  <bdi>{name}</bdi> {id === state.viewer?.id && <span class="tag">{texts.you}</span>}
                </span>
                <JoinedAt date={createdAt} texts={texts} />
              </span>
            </a>
          </li>
        ))}
      </ul>
      {(!isFirst || nextCursor) && (
        <nav class="pages" aria-label={texts.pages}>
          {!isFirst && <a class="button secondary" href="/users">{texts.firstPage}</a>}
          {nextCursor && (
            <a class="button secondary" rel="next" href={`/users?cursor=${nextCursor}`}>{texts.nextPage}</a>
          )}
        </nav>
      )}
    </Page>
  );
});

interface EmptyProps {
  isFirst: boolean;
  isOpen: boolean;
  texts: Texts["people"];
}

function Empty({ isFirst, isOpen, texts }: EmptyProps) {
  if (!isFirst) return <p>{texts.noMore}</p>;
  return (
    <p>
      {texts.none} {isOpen && <a href="/register">{texts.beFirst}</a>}
    </p>
  );
}
