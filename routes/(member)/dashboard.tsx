import { page } from "fresh";
import { isAddressPublic } from "../../lib/users/user_directory.ts";
import { requireUser } from "../../lib/web/authentication/require_user.ts";
import { define } from "../../lib/web/state.ts";
import { OPTIONAL_FIELDS } from "../../lib/schemas/profile_rules.ts";
import { Avatar } from "../../lib/ui/Avatar.tsx";
import { Page } from "../../lib/ui/Page.tsx";
import { textsIn } from "../../lib/texts/texts.ts";

export const handler = define.handlers({
  GET: async (ctx) => {
    const user = await requireUser(ctx);
    return page({ user, isPublic: isAddressPublic(user, ctx.state.services.config) });
  },
});

export default define.page<typeof handler>(function DashboardPage({ data: { user, isPublic }, state }) {
  const { dashboard: texts, email: address } = textsIn(state.language);
  const { name, email, emailVerified, avatar } = user;
  const isBlank = OPTIONAL_FIELDS.every((field) => user[field] === "");
  return (
    <Page title={texts.title(name)}>
      <section class="card person">
        <Avatar name={name} src={avatar} size={96} />
        <div>
          <p class="person-name">
            <bdi>{name}</bdi>
          </p>
          <p class="meta">{email}</p>
          {isPublic && (
            <p class="hint">
              {address.visibility.isPublic} <a href="/profile">{texts.changeVisibility}</a>
            </p>
          )}
          <p class={emailVerified ? "tag good" : "tag warn"}>
            {emailVerified ? texts.emailConfirmed : texts.emailNotConfirmed}
          </p>
        </div>
      </section>
      {!emailVerified && (
        <section class="card callout warn">
          <h2>{texts.confirmTitle}</h2>
          <p>{texts.confirmText(email)}</p>
          <p>
            <a class="button" href={`/verify-email?${new URLSearchParams({ email })}`}>{texts.resend}</a>
          </p>
        </section>
      )}
      <h2>{texts.nextSteps}</h2>
      <ul class="cards wide">
        {avatar === null && <Step href="/profile#photo" {...texts.addPhoto} />}
        <Step href="/profile" {...isBlank ? texts.writeBio : texts.editProfile} />
        <Step href="/uploads" {...texts.uploadFile} />
        <Step href="/users" {...texts.browsePeople} />
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
