import { page } from "fresh";
import { getUser } from "../../lib/accounts/user_directory.ts";
import { define } from "../../lib/http/state.ts";
import { viewerId } from "../../lib/http/viewer.ts";
import { JoinedAt } from "../../lib/ui/JoinedAt.tsx";
import { Page } from "../../lib/ui/Page.tsx";
import { UserDetails } from "../../lib/ui/UserDetails.tsx";

export const handler = define.handlers({
  GET: async (ctx) => page(await getUser(ctx.state.services, { id: ctx.params.id, viewerId: await viewerId(ctx) })),
});

export default define.page<typeof handler>(function UserPage({ data: user }) {
  return (
    <Page title={user.name} description={`The profile of ${user.name}.`}>
      <UserDetails {...user} />
      <p>
        <JoinedAt date={user.createdAt} />
        {user.email && (
          <>
            {" · "}
            <a href={mailAddress(user.email)}>{user.email}</a>
          </>
        )}
      </p>
      <p class="no-print">
        <a href="/users">All people</a>
      </p>
    </Page>
  );
});

/** Encoded, because a question mark in the address would begin the headers of the mail. Source: RFC 6068. */
function mailAddress(email: string): string {
  return `mailto:${email.split("@").map(encodeURIComponent).join("@")}`;
}
