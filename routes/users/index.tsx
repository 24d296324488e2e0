import { page } from "fresh";
import { listUsers, USER_PAGE_SIZE } from "../../lib/accounts/user_directory.ts";
import { parsePageQuery } from "../../lib/http/input/parse.ts";
import { define } from "../../lib/http/state.ts";
import { viewerId } from "../../lib/http/principal/viewer.ts";
import { PageSchema } from "../../lib/schemas/list.ts";
import { Avatar } from "../../lib/ui/Avatar.tsx";
import { JoinedAt } from "../../lib/ui/JoinedAt.tsx";
import { Page } from "../../lib/ui/Page.tsx";
import { type Words, wordsIn } from "../../lib/words/words.ts";

export const handler = define.handlers({
  async GET(ctx) {
    const { cursor } = parsePageQuery(ctx.url, PageSchema);
    const query = { cursor, limit: USER_PAGE_SIZE, viewerId: await viewerId(ctx) };
    return page({ ...await listUsers(ctx.state.services, query), isFirst: cursor === undefined });
  },
});

export default define.page<typeof handler>(function UsersPage({ data: { users, nextCursor, isFirst }, state }) {
  const words = wordsIn(state.language).people;
  return (
    <Page title={words.title} description={words.description}>
      {users.length === 0 && <Empty isFirst={isFirst} words={words} />}
      <ul class="people">
        {users.map(({ id, name, avatar, createdAt }) => (
          <li key={id}>
            <a class="card person-link" href={`/users/${id}`}>
              <Avatar name={name} src={avatar} size={40} />
              <span>
                <span class="person-name">
                  <bdi>{name}</bdi>
                </span>
                <JoinedAt date={createdAt} words={words} />
              </span>
            </a>
          </li>
        ))}
      </ul>
      {(!isFirst || nextCursor) && (
        <nav class="pages" aria-label={words.pages}>
          {!isFirst && <a class="button secondary" href="/users">{words.firstPage}</a>}
          {nextCursor && (
            <a class="button secondary" rel="next" href={`/users?cursor=${nextCursor}`}>{words.nextPage}</a>
          )}
        </nav>
      )}
    </Page>
  );
});

interface EmptyProps {
  isFirst: boolean;
  words: Words["people"];
}

function Empty({ isFirst, words }: EmptyProps) {
  if (!isFirst) return <p>{words.noMore}</p>;
  return (
    <p>
      {words.none} <a href="/register">{words.beFirst}</a>
    </p>
  );
}
