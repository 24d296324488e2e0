import type { Context } from "fresh";
import { ownPath } from "../../accounts/return_address.ts";
import type { State } from "../state.ts";
import { withoutHop } from "./same_site_hop.tsx";

/**
 * Returns the page of this site to go to after signing in, or null. The query parameter `next` names it, or an address
 * on another origin in RETURN_ORIGINS, to which the page moves on.
 */
export function nextPath({ url, state }: Pick<Context<State>, "url" | "state">): string | null {
  return ownPath(url.searchParams.get("next"), state.services.config);
}

/**
 * Returns the path and query of the page itself, to come back to it after signing in. If they are too long for that, it
 * returns the page that this one leads to, which asks for what it needs.
 */
export function pathOfPage(ctx: Pick<Context<State>, "url" | "state">): string | null {
  const { url, state } = ctx;
  return ownPath(url.pathname + withoutHop(url), state.services.config) ?? nextPath(ctx);
}

/** Returns the page of this site to go to after signing in, if no page is asked for. */
export function pageAfterLogin({ services: { config } }: Pick<State, "services">): string {
  return ownPath(config.afterLoginUrl, config)!;
}

/** Appends `next` to a path, so that every way to sign in leads to the page that was asked for. */
export function withNext(path: string, next: string | null): string {
  if (next === null) return path;
  return `${path}${path.includes("?") ? "&" : "?"}${new URLSearchParams({ next })}`;
}

/** The path of the login page, which then leads no one straight to a provider: they may want another account there. */
export function withAccountChoice(path: string): string {
  return `${path}${path.includes("?") ? "&" : "?"}prompt=select_account`;
}

/** Returns the path of the page that sends the email with which someone confirms the address. */
export function confirmationPath(email: string, next: string | null): string {
  return withNext(`/verify-email?${new URLSearchParams({ email })}`, next);
}

/** Returns the path of the login page with an address that the person has just confirmed or used, if there is one. */
export function loginPath(email: string | undefined, next: string | null): string {
  return withNext(withEmail("/login", email), next);
}

/** Appends an address to a path without a query, so that nobody types it twice. */
export function withEmail(path: string, email: string | undefined): string {
  return email ? `${path}?${new URLSearchParams({ email })}` : path;
}
