import { asset } from "fresh/runtime";
import type { Brand } from "../brand/brand.ts";
import type { Texts } from "../texts/texts.ts";
import { AccountMenu, type Member } from "./account/AccountMenu.tsx";
import { Isolated } from "./Isolated.tsx";

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
      <a class="brand" href={brand.homeUrl} aria-current="false">
        <Logo logo={brand.logo} />
        <Isolated>{brand.name}</Isolated>
      </a>
      <nav aria-label={texts.mainNavigation}>
        {people.toAll && <a class={user ? undefined : "roomy"} href="/users">{texts.people}</a>}
        {user
          ? <AccountMenu user={user} hasPage={people.toOneself} hasFiles={hasFiles} texts={texts} />
          : <GuestLinks guestLinks={guestLinks} texts={texts} />}
      </nav>
    </header>
  );
}

function Logo({ logo }: Pick<Brand, "logo">) {
  if (logo === null) return <img src={asset("/mark.svg")} alt="" width="28" height="28" />;
  // Its address has a version of its own, so it needs no key of the build.
  const image = <img src={logo.light} alt="" width="28" height="28" data-fresh-disable-lock />;
  if (logo.dark === undefined) return image;
  return (
    <picture>
      <source media="(prefers-color-scheme: dark)" srcset={logo.dark} data-fresh-disable-lock />
      {image}
    </picture>
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
