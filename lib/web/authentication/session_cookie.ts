import { parseSetCookie } from "cookie";
import { DEVICE_SECONDS, DEVICE_USERS } from "../../activity/device.ts";
import type { SessionCredential } from "../../access/session.ts";
import { SECOND_MS } from "../../duration.ts";
import type { Config } from "../../config/config.ts";
import type { Services } from "../../services.ts";
import { cookieValues, hostCookie, withCookie, withoutCookie } from "../../http/cookies.ts";

/** The cookie that holds the token of a session. Source: docs/rules.md, Session cookie. */
export const SESSION_COOKIE = { name: "auth_session", sameSite: "strict" } as const;

/** Recognizes the browser, also after a logout. Holds a token for each user of the browser. */
const DEVICE_COOKIE = "device";
const DEVICE_SEPARATOR = ".";

/** 32 bytes in base64url. Anything else is ignored before it costs a hash and a query. */
const TOKEN = /^[\w-]{43}$/;

/** The session tokens of the request, usually one at most. Only the length of the header limits their number. */
export function sessionTokens(req: Request): string[] {
  return cookieValues(req, SESSION_COOKIE.name).filter((value) => TOKEN.test(value));
}

/**
 * Returns the tokens by which the browser was recognized before. An https site also accepts the name without prefix, which
 * it used before, until the next sign-in. A sibling site can plant that one, but a planted token belongs to no user here.
 */
export function deviceTokens(req: Request, config: Config): string[] {
  const name = hostCookie(DEVICE_COOKIE, config);
  const value = singleValue(req, cookieValues(req, name).length > 0 ? name : DEVICE_COOKIE);
  const tokens = value?.split(DEVICE_SEPARATOR) ?? [];
  return tokens.length <= DEVICE_USERS && tokens.every((token) => TOKEN.test(token)) ? tokens : [];
}

/** Returns the token in the cookie with this name, or null. */
export function singleToken(req: Request, name: string): string | null {
  const token = singleValue(req, name);
  return token !== null && TOKEN.test(token) ? token : null;
}

/** Two values count as none, because a sibling site may have set one of them. */
function singleValue(req: Request, name: string): string | null {
  const [value, ...others] = cookieValues(req, name);
  return value !== undefined && others.length === 0 ? value : null;
}

/** Adds the cookie of a session that was opened, extended or renewed, and the one that recognizes the browser. */
export function withSessionCookie(
  response: Response,
  { token, expiresAt, deviceTokens }: SessionCredential,
  { config, now }: Services,
): Response {
  const maxAge = Math.round((expiresAt.getTime() - now().getTime()) / SECOND_MS);
  withCookie(response, { ...SESSION_COOKIE, value: token, maxAge, domain: config.cookieDomain }, config);
  if (deviceTokens === undefined) return response;
  const value = deviceTokens.join(DEVICE_SEPARATOR);
  const name = hostCookie(DEVICE_COOKIE, config);
  withCookie(response, { name, value, maxAge: DEVICE_SECONDS }, config);
  return name === DEVICE_COOKIE ? response : withoutCookie(response, { name: DEVICE_COOKIE }, config);
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
