import { asset } from "fresh/runtime";

/** The header of every page, with the navigation for guests or members. */
export function SiteHeader({ isLoggedIn }: { isLoggedIn: boolean }) {
  return (
    <header class="site-header">
      <a class="skip-link" href="#main">Skip to the content</a>
      <a class="brand" href="/" aria-current="false">
        <img src={asset("/mark.svg")} alt="" width="28" height="28" />
        Foyer
      </a>
      <nav aria-label="Main">
        <a href="/users">People</a>
        {isLoggedIn ? <MemberLinks /> : <GuestLinks />}
      </nav>
    </header>
  );
}

function MemberLinks() {
  return (
    <>
      <a href="/uploads">Uploads</a>
      <a href="/profile">Profile</a>
      <a href="/dashboard">Dashboard</a>
      <form method="post" action="/logout">
        <button class="secondary small" type="submit">Log out</button>
      </form>
    </>
  );
}

function GuestLinks() {
  return (
    <>
      <a href="/login">Log in</a>
      <a class="button small" href="/register">Register</a>
    </>
  );
}
