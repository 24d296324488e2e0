import { parseSetCookie } from "cookie";
import { DEVICE_SECONDS } from "../../activity/device.ts";
import type { SessionCredential } from "../../access/session.ts";
import { SECOND_MS } from "../../duration.ts";
import type { Services } from "../../services.ts";
import { cookieValues, withCookie, withoutCookie } from "../../http/cookies.ts";

/** The cookie that holds the token of a session. Source: docs/rules.md, Session cookie. */
export const SESSION_COOKIE = { name: "auth_session", sameSite: "strict" } as const;

/** Recognizes the browser, also after a logout. */
const DEVICE_COOKIE = "device";

/** 32 bytes in base64url. Anything else is ignored before it costs a hash and a query. */
const TOKEN = /^[\w-]{43}$/;

/** The session tokens of the request, usually one at most. Only the length of the header limits their number. */
export function sessionTokens(req: Request): string[] {
  return cookieValues(req, SESSION_COOKIE.name).filter((value) => TOKEN.test(value));
}

/** Returns the token by which the browser was recognized before, or null. */
export function deviceToken(req: Request): string | null {
  return singleToken(req, DEVICE_COOKIE);
}

/**
 * Returns the token in the cookie with this name, or null. Two values count as none, because a sibling site may have set
 * one of them.
 */
export function singleToken(req: Request, name: string): string | null {
  const [token, ...others] = cookieValues(req, name);
  return token !== undefined && TOKEN.test(token) && others.length === 0 ? token : null;
}

/** Adds the cookie of a session that was opened, extended or renewed, and the one that recognizes the browser. */
export function withSessionCookie(
  response: Response,
  { token, expiresAt, deviceToken }: SessionCredential,
  { config, now }: Services,
): Response {
  const maxAge = Math.round((expiresAt.getTime() - now().getTime()) / SECOND_MS);
  withCookie(response, { ...SESSION_COOKIE, value: token, maxAge, domain: config.cookieDomain }, config);
  if (deviceToken === undefined) return response;
  return withCookie(response, { name: DEVICE_COOKIE, value: deviceToken, maxAge: DEVICE_SECONDS }, config);
}

/** Deletes the session cookie, including one that was set before COOKIE_DOMAIN was. */
export function withoutSessionCookie(response: Response, { config }: Services): Response {
  for (const domain of new Set([config.cookieDomain, undefined])) {
    withoutCookie(response, { ...SESSION_COOKIE, domain }, config);
  }
  return response;
}

/** The token of the session that the response opens or extends; empty if it ends one, otherwise undefined. */
export function sessionTokenSet(headers: Headers): string | undefined {
  const cookies = headers.getSetCookie().map((line) => parseSetCookie(line));
  return cookies.find(({ name }) => name === SESSION_COOKIE.name)?.value;
}
