import { asset } from "fresh/runtime";
import { PRODUCT } from "../words/product.ts";
import type { Words } from "../words/words.ts";

interface SiteHeaderProps {
  isLoggedIn: boolean;
  words: Words["frame"];
}

/** The header of every page, with the navigation for guests or members. */
export function SiteHeader({ isLoggedIn, words }: SiteHeaderProps) {
  return (
    <header class="site-header">
      <a class="skip-link" href="#main">{words.skipToContent}</a>
      <a class="brand" href="/" aria-current="false">
        <img src={asset("/mark.svg")} alt="" width="28" height="28" />
        {PRODUCT}
      </a>
      <nav aria-label={words.mainNavigation}>
        <a href="/users">{words.people}</a>
        {isLoggedIn ? <MemberLinks words={words} /> : <GuestLinks words={words} />}
      </nav>
    </header>
  );
}

function MemberLinks({ words }: Pick<SiteHeaderProps, "words">) {
  return (
    <>
      <a href="/uploads">{words.uploads}</a>
      <a href="/profile">{words.profile}</a>
      <a href="/dashboard">{words.dashboard}</a>
      <form method="post" action="/logout">
        <button class="secondary small" type="submit">{words.logOut}</button>
      </form>
    </>
  );
}

function GuestLinks({ words }: Pick<SiteHeaderProps, "words">) {
  return (
    <>
      <a href="/login">{words.logIn}</a>
      <a class="button small" href="/register">{words.createAccount}</a>
    </>
  );
}
