import { asset } from "fresh/runtime";
import { PRODUCT } from "../texts/product.ts";
import type { Texts } from "../texts/texts.ts";
import { Avatar } from "./Avatar.tsx";

interface Member {
  name: string;
  email: string;
  avatar: string | null;
  /** When the account is deleted; null unless it is closing. */
  deletionDueAt: Date | null;
}

interface SiteHeaderProps {
  /** The person who is logged in, or null for guests. */
  user: Member | null;
  /** Where guests log in and register, in place of the plain pages. `register` is null where they cannot. */
  guestLinks?: { logIn: string; register: string | null };
  texts: Texts["frame"];
}

/** The header of every page, with the navigation for guests or members. It is one row, also on phones. */
export function SiteHeader({ user, guestLinks, texts }: SiteHeaderProps) {
  return (
    <header class="site-header">
      <a class="skip-link" href="#main">{texts.skipToContent}</a>
      <a class="brand" href="/" aria-current="false">
        <img src={asset("/mark.svg")} alt="" width="28" height="28" />
        <span>{PRODUCT}</span>
      </a>
      <nav aria-label={texts.mainNavigation}>
        <a class={user ? undefined : "roomy"} href="/users">{texts.people}</a>
        {user ? <AccountMenu user={user} texts={texts} /> : <GuestLinks guestLinks={guestLinks} texts={texts} />}
      </nav>
    </header>
  );
}

function GuestLinks(
  { guestLinks: links = { logIn: "/login", register: "/register" }, texts }: Omit<SiteHeaderProps, "user">,
) {
  return (
    <>
      <a href={links.logIn}>{texts.logIn}</a>
      {links.register !== null && <a class="button secondary small" href={links.register}>{texts.createAccount}</a>}
    </>
  );
}

/** The pages of a member's own account, and the way out. Works without scripts. */
function AccountMenu({ user: { name, email, avatar, deletionDueAt }, texts }: SiteHeaderProps & { user: Member }) {
  const links = deletionDueAt === null ? memberLinks(texts) : { "/keep-account": texts.keepAccount };
  return (
    <details class="account">
      <summary>
        <Avatar name={name} src={avatar} size={40} />
        <span class="visually-hidden">{texts.accountMenu}</span>
      </summary>
      <div class="card">
        <p class="person-name">
          <bdi>{name}</bdi>
        </p>
        <p class="meta">{email}</p>
        <ul>
          {Object.entries(links).map(([href, text]) => (
            <li>
              <a href={href}>{text}</a>
            </li>
          ))}
        </ul>
        <form method="post" action="/logout">
          <button class="secondary" type="submit">{texts.logOut}</button>
        </form>
      </div>
    </details>
  );
}

function memberLinks(texts: Texts["frame"]): Record<string, string> {
  return {
    "/dashboard": texts.dashboard,
    "/profile": texts.profile,
    "/uploads": texts.uploads,
    "/settings": texts.settings,
    "/settings/sessions": texts.sessions,
  };
}
