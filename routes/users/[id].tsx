import { page } from "fresh";
import { getUser } from "../../lib/accounts/user_directory.ts";
import { define } from "../../lib/http/state.ts";
import { viewerId } from "../../lib/http/principal/viewer.ts";
import { JoinedAt } from "../../lib/ui/JoinedAt.tsx";
import { Page } from "../../lib/ui/Page.tsx";
import { UserDetails } from "../../lib/ui/UserDetails.tsx";
import { wordsIn } from "../../lib/words/words.ts";

export const handler = define.handlers({
  GET: async (ctx) => page(await getUser(ctx.state.services, { id: ctx.params.id, viewerId: await viewerId(ctx) })),
});

export default define.page<typeof handler>(function UserPage({ data: user, state }) {
  const words = wordsIn(state.language).people;
  return (
    <Page title={user.name} description={words.profileOf(user.name)}>
      <UserDetails {...user}>
        {user.email && (
          <p>
            <a href={mailtoUrl(user.email)}>{user.email}</a>
          </p>
        )}
        <p>
          <JoinedAt date={user.createdAt} words={words} />
        </p>
      </UserDetails>
      <p class="no-print">
        <a href="/users">{words.backToPeople}</a>
      </p>
    </Page>
  );
});

/** Encodes the address: a question mark in it would otherwise start the headers of the email. Source: RFC 6068. */
function mailtoUrl(email: string): string {
  return `mailto:${email.split("@").map(encodeURIComponent).join("@")}`;
}
