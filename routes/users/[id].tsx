import { page } from "fresh";
import { getUser } from "../../lib/users/user_directory.ts";
import { pageHandlers } from "../../lib/web/pages/page_handlers.ts";
import { define } from "../../lib/web/state.ts";
import { forViewer } from "../../lib/web/authentication/viewer.ts";
import { JoinedAt } from "../../lib/ui/JoinedAt.tsx";
import { MailLink } from "../../lib/ui/MailLink.tsx";
import { Page } from "../../lib/ui/Page.tsx";
import { UserDetails } from "../../lib/ui/UserDetails.tsx";
import { textsIn } from "../../lib/texts/texts.ts";
import { isolated } from "../../lib/texts/isolation.ts";

export const handler = pageHandlers({ who: "seesPeople", whileClosing: "refused" }, {
  GET: async (ctx) => page(await getUser(ctx.state.services, { id: ctx.params.id, ...forViewer(ctx) })),
});

export default define.page<typeof handler>(function UserPage({ data: user, state }) {
  const isOwn = state.viewer?.id === user.id;
  const texts = textsIn(state.language).people;
  return (
    <Page
      title={user.name}
      isName
      windowTitle={isolated(user.name, state.language.direction)}
      description={texts.profileOf({ name: user.name })}
      back={{ href: "/users", text: texts.title }}
    >
      <UserDetails {...user}>
        {user.email && (
          <p>
            <MailLink address={user.email} />
          </p>
        )}
        <p>
          <JoinedAt date={user.createdAt} label={texts.joined} locale={state.language.locale} />
        </p>
        {isOwn && (
          <p class="no-print">
            <a class="button secondary small" href="/profile">{texts.edit}</a>
          </p>
        )}
      </UserDetails>
    </Page>
  );
});
