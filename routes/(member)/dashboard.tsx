import { page } from "fresh";
import { requireUser } from "../../lib/http/principal/require_user.ts";
import { define } from "../../lib/http/state.ts";
import { Avatar } from "../../lib/ui/Avatar.tsx";
import { Page } from "../../lib/ui/Page.tsx";
import { wordsIn } from "../../lib/words/words.ts";

export const handler = define.handlers({
  GET: async (ctx) => page(await requireUser(ctx)),
});

export default define.page<typeof handler>(function DashboardPage({ data: user, state }) {
  const words = wordsIn(state.language).dashboard;
  const { name, email, emailVerified, avatar, bio, location, website } = user;
  const isBlank = bio === "" && location === "" && website === "";
  return (
    <Page title={words.title(name)}>
      <section class="card person">
        <Avatar name={name} src={avatar} size={96} />
        <div>
          <p class="person-name">
            <bdi>{name}</bdi>
          </p>
          <p class="meta">{email}</p>
          <p class={emailVerified ? "badge good" : "badge"}>
            {emailVerified ? words.emailConfirmed : words.emailNotConfirmed}
          </p>
        </div>
      </section>
      {!emailVerified && (
        <section class="card callout">
          <h2>{words.confirmTitle}</h2>
          <p>{words.confirmText(email)}</p>
          <p>
            <a class="button" href={`/verify-email?${new URLSearchParams({ email })}`}>{words.resend}</a>
          </p>
        </section>
      )}
      <h2>{words.nextSteps}</h2>
      <ul class="cards wide">
        {avatar === null && <Step href="/profile#photo" {...words.addPhoto} />}
        <Step href="/profile" {...isBlank ? words.writeBio : words.editProfile} />
        <Step href="/uploads" {...words.uploadFile} />
        <Step href="/users" {...words.browsePeople} />
      </ul>
    </Page>
  );
});

function Step({ href, title, text }: { href: string; title: string; text: string }) {
  return (
    <li class="card">
      <h3>
        <a href={href}>{title}</a>
      </h3>
      <p>{text}</p>
    </li>
  );
}
