import type { Brand } from "../brand/brand.ts";
import type { Texts } from "../texts/texts.ts";
import { AccountMenu, type Member } from "./account/AccountMenu.tsx";
import { BrandLink } from "./BrandLink.tsx";

interface SiteHeaderProps {
  /** The person who is logged in, or null for guests. */
  user: Member | null;
  brand: Brand;
  people: PeopleLinks;
  /** Whether people may store files. */
  hasFiles: boolean;
  /** Where guests log in and register, in place of the plain pages. `register` is null where they cannot. */
  guestLinks?: { logIn: string; register: string | null };
  texts: Texts["frame"];
}

/** Which links to people lead somewhere. */
export interface PeopleLinks {
  toAll: boolean;
  toOneself: boolean;
}

/** The header of every page, with the navigation for guests or members. It is one row, also on phones. */
export function SiteHeader({ user, brand, people, hasFiles, guestLinks, texts }: SiteHeaderProps) {
  return (
    <header class="site-header">
      <a class="skip-link" href="#main">{texts.skipToContent}</a>
      <BrandLink brand={brand} />
      <nav aria-label={texts.mainNavigation}>
        {people.toAll && <a class={user ? undefined : "roomy"} href="/users">{texts.people}</a>}
        {user
          ? <AccountMenu user={user} hasPage={people.toOneself} hasFiles={hasFiles} texts={texts} />
          : <GuestLinks guestLinks={guestLinks} texts={texts} />}
      </nav>
    </header>
  );
}

function GuestLinks(
  { guestLinks: links = { logIn: "/login", register: "/register" }, texts }: Pick<
    SiteHeaderProps,
    "guestLinks" | "texts"
  >,
) {
  return (
    <>
      <a href={links.logIn}>{texts.logIn}</a>
      {links.register !== null && <a class="button secondary small" href={links.register}>{texts.createAccount}</a>}
    </>
  );
}
