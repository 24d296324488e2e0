import { page } from "fresh";
import { listUsers } from "../../lib/accounts/user_directory.ts";
import { parsePageQuery } from "../../lib/http/input/parse.ts";
import { define } from "../../lib/http/state.ts";
import { viewerId } from "../../lib/http/viewer.ts";
import { USER_PAGE_SIZE, UserPageSchema } from "../../lib/schemas/user_list.ts";
import { Avatar } from "../../lib/ui/Avatar.tsx";
import { JoinedAt } from "../../lib/ui/JoinedAt.tsx";
import { Page } from "../../lib/ui/Page.tsx";

export const handler = define.handlers({
  async GET(ctx) {
    const { cursor } = parsePageQuery(ctx.url, UserPageSchema);
    const query = { cursor, limit: USER_PAGE_SIZE, viewerId: await viewerId(ctx) };
    return page({ ...await listUsers(ctx.state.services, query), isFirst: cursor === undefined });
  },
});

export default define.page<typeof handler>(function UsersPage({ data: { users, nextCursor, isFirst } }) {
  return (
    <Page title="People" description="Everybody who has registered here, the newest first.">
      {users.length === 0 && <Empty isFirst={isFirst} />}
      <ul class="people">
        {users.map(({ id, name, avatar, createdAt }) => (
          <li key={id}>
            <a class="card person-link" href={`/users/${id}`}>
              <Avatar name={name} src={avatar} size={40} />
              <span>
                <span class="person-name" dir="auto">{name}</span>
                <JoinedAt date={createdAt} />
              </span>
            </a>
          </li>
        ))}
      </ul>
      {(!isFirst || nextCursor) && (
        <nav class="pages" aria-label="Pages">
          {!isFirst && <a class="button secondary" href="/users">Newest people</a>}
          {nextCursor && <a class="button secondary" rel="next" href={`/users?cursor=${nextCursor}`}>Earlier people</a>}
        </nav>
      )}
    </Page>
  );
});

function Empty({ isFirst }: { isFirst: boolean }) {
  return isFirst
    ? (
      <p>
        Nobody is here yet. <a href="/register">Be the first!</a>
      </p>
    )
    : <p>There is nobody further back.</p>;
}
