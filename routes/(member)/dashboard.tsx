import { page } from "fresh";
import { requireUser } from "../../lib/http/require_user.ts";
import { define } from "../../lib/http/state.ts";
import { Avatar } from "../../lib/ui/Avatar.tsx";
import { Page } from "../../lib/ui/Page.tsx";

export const handler = define.handlers({
  GET: async (ctx) => page(await requireUser(ctx)),
});

export default define.page<typeof handler>(function DashboardPage({ data: user }) {
  const isBlank = user.bio === "" && user.location === "" && user.website === "";
  return (
    <Page title={`Hello, ${user.name}`}>
      <section class="card person">
        <Avatar name={user.name} src={user.avatar} size={96} />
        <div>
          <p class="person-name" dir="auto">{user.name}</p>
          <p class="meta">{user.email}</p>
          <p class={user.emailVerified ? "badge good" : "badge"}>
            {user.emailVerified ? "Address confirmed" : "Address not confirmed yet"}
          </p>
        </div>
      </section>
      {!user.emailVerified && (
        <section class="card callout">
          <h2>Please confirm your address</h2>
          <p>We have mailed a link to {user.email}. Until you open it, you cannot log in again.</p>
          <p>
            <a class="button" href={`/verify-email?${new URLSearchParams({ email: user.email })}`}>
              I cannot find the mail
            </a>
          </p>
        </section>
      )}
      <h2>What next?</h2>
      <ul class="cards wide">
        {user.avatar === null && (
          <Step href="/profile#picture" title="Add a picture" text="So that others recognise you." />
        )}
        <Step
          href="/profile"
          title={isBlank ? "Say something about yourself" : "Look after your profile"}
          text={isBlank ? "Your profile is still empty." : "Change your name, your words or your picture."}
        />
        <Step href="/uploads" title="Upload a file" text="And get a link that you can give away." />
        <Step href="/users" title="See who is here" text="Everybody who has registered." />
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
