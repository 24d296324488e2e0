import { hash } from "node:crypto";
import type { Context } from "fresh";
import { cookieValues, hostCookie, withCookie } from "../../http/cookies.ts";
import { OneMomentPage } from "../../ui/OneMomentPage.tsx";
import { textsIn } from "../../texts/texts.ts";
import type { State } from "../state.ts";
import { withoutNotice } from "./notice.ts";
import { renderPage } from "./page_viewer.ts";

/**
 * A product that does not accept the session sends people to the login, which sends them back at once. Browsers stop
 * only after about twenty redirects, and never if a page of ours is between them. So the browser keeps a list of the
 * addresses that it has left for: for each one a short hash, and the time.
 */
const LEAVES_COOKIE = "leaves";
const WINDOW_SECONDS = 10;
/** How often a browser may leave for the same address within the window. */
const LEAVES_MAX = 3;
/** The cookie must stay short. A loop among more addresses than this is not recognized. */
const KEPT_MAX = 16;
const HASH_LENGTH = 8;

/** Whether this browser has just left for this address too often: the product sends it back each time. */
export function isLoop(ctx: Context<State>, address: string): boolean {
  const start = shortHash(address);
  return recentLeaves(ctx).filter((leave) => leave.startsWith(start)).length >= LEAVES_MAX;
}

/** Adds a leave for this address to those that the browser remembers. */
export function withLeave(ctx: Context<State>, response: Response, address: string): Response {
  const { config, now } = ctx.state.services;
  const leaves = [...recentLeaves(ctx), `${shortHash(address)}${now().getTime()}`].slice(-KEPT_MAX);
  const name = hostCookie(LEAVES_COOKIE, config);
  return withCookie(response, { name, value: leaves.join("."), maxAge: WINDOW_SECONDS }, config);
}

/**
 * Responds with a page that navigates to an address on another origin at once. A redirect could be the end of a form,
 * and then the form-action of our Content-Security-Policy would govern it. Works without scripts.
 *
 * @param address a URL in the form of the URL parser, which the caller has checked.
 * @param link the text of the link for browsers that do not navigate. Default: the word for continuing.
 */
export async function moveOn(ctx: Context<State>, address: string, link?: string): Promise<Response> {
  ctx.state.notice = null;
  const content = <OneMomentPage href={address} link={link} texts={textsIn(ctx.state.language).frame} />;
  const headers = { Refresh: `0; url=${address}`, "Cache-Control": "no-store" };
  return withoutNotice(await renderPage(ctx, content, { headers }), ctx.state.services.config);
}

function recentLeaves({ req, state: { services } }: Context<State>): string[] {
  const [cookie = ""] = cookieValues(req, hostCookie(LEAVES_COOKIE, services.config));
  const since = services.now().getTime() - WINDOW_SECONDS * 1000;
  return cookie.split(".").filter((leave) => Number(leave.slice(HASH_LENGTH)) > since);
}

function shortHash(address: string): string {
  return hash("sha256", address, "base64url").slice(0, HASH_LENGTH);
}
