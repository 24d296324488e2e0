import { page } from "fresh";
import { isAddressPublic } from "../../lib/users/user_directory.ts";
import { requireUser } from "../../lib/web/authentication/require_user.ts";
import { define } from "../../lib/web/state.ts";
import { OPTIONAL_FIELDS } from "../../lib/schemas/profile_rules.ts";
import { Avatar } from "../../lib/ui/Avatar.tsx";
import { ResendLink } from "../../lib/ui/account/ResendLink.tsx";
import { Page } from "../../lib/ui/Page.tsx";
import { textsIn } from "../../lib/texts/texts.ts";

export const handler = define.handlers({
  GET: async (ctx) => {
    const user = await requireUser(ctx);
    const { config } = ctx.state.services;
    return page({ user, isPublic: isAddressPublic(user, config), lifetimeSeconds: config.verifyTokenTtlSeconds });
  },
});

export default define.page<typeof handler>(
  function DashboardPage({ data: { user, isPublic, lifetimeSeconds }, state }) {
    const { dashboard: texts, email: address, emails, signIn } = textsIn(state.language);
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
            <p>{texts.confirmText({ email, lifetime: emails.lifetime(lifetimeSeconds) })}</p>
            <ResendLink email={email} texts={signIn} />
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
  },
);

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
