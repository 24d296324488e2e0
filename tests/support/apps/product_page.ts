/** The cookie of the demo product. All ports of localhost share their cookies. */
export const COOKIE = "demo_product";

/** Returns the cookie of a session. Lax: it must arrive when Foyer sends someone back. */
export function sessionCookie(id: string): string {
  return `${COOKIE}=${id}; Path=/; HttpOnly; SameSite=Lax`;
}

/** What a page of the demo product shows. */
export interface ProductPage {
  /** What Foyer says about the person now. */
  userinfo?: Record<string, unknown>;
  /** What the ID token said. */
  claims?: Record<string, unknown>;
  /** When the access token expires. */
  expiresAt?: Date;
  /** Whether the access has ended at Foyer. */
  hasEnded?: boolean;
  error?: string;
}

/** Returns the HTML of a page. */
export function renderPage({ userinfo, claims, expiresAt, hasEnded, error }: ProductPage): string {
  const name = userinfo?.name ?? claims?.name;
  const parts = [
    `<h1>${error !== undefined ? "That didn’t work" : `Hello, ${escapeHtml(String(name ?? "guest"))}`}</h1>`,
    ...error !== undefined ? [`<p>${escapeHtml(error)}</p>`, `<p><a href="/">Start again</a></p>`] : [],
    ...hasEnded
      ? ["<p>Foyer has ended this access, or the access token has expired. Refresh, or log in again.</p>"]
      : [],
    ...userinfo ? [`<h2>Userinfo</h2>${listOf(userinfo)}`] : [],
    ...claims ? [`<h2>ID token</h2>${listOf(claims)}`] : [],
    ...expiresAt ? [`<p>The access token expires at ${expiresAt.toISOString()}.</p>`] : [],
    ...claims ? [button("/refresh", "Refresh"), button("/logout", "Log out")] : [],
    ...claims || error !== undefined ? [] : [`<p><a href="/login">Log in with Foyer</a></p>`],
  ];
  return `<!DOCTYPE html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Demo product</title><link rel="icon" href="data:,">
<style>body { font: 1rem/1.5 system-ui; max-width: 40rem; margin: 2rem auto; padding: 0 1rem }
dt { font-weight: bold } dd { overflow-wrap: anywhere } form { display: inline }</style>
${parts.join("\n")}</html>`;
}

function listOf(values: Record<string, unknown>): string {
  const items = Object.entries(values).map(([name, value]) =>
    `<dt>${escapeHtml(name)}</dt><dd>${escapeHtml(String(value))}</dd>`
  );
  return `<dl>${items.join("")}</dl>`;
}

function button(action: string, label: string): string {
  return `<form method="post" action="${action}"><button>${label}</button></form>`;
}

/** Escapes a text for HTML. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
