import { parseSetCookie } from "cookie";
import { DEVICE_SECONDS } from "../../activity/device.ts";
import type { SessionCredential } from "../../access/session.ts";
import { SECOND_MS } from "../../duration.ts";
import type { Services } from "../../services/services.ts";
import { hostCookie, withCookie, withoutCookie } from "../../http/cookies.ts";
import { withLastMethod } from "./last_used.ts";

/** The cookie that holds the token of a session. Source: docs/rules.md, Session cookie. */
export const SESSION_COOKIE = { name: "auth_session", sameSite: "strict" } as const;

/** Recognizes the browser, also after a logout. Holds a token for each user of the browser. */
export const DEVICE_COOKIE = "device";
/** Between the tokens. */
export const DEVICE_SEPARATOR = ".";

/**
 * Adds the cookie of a session that was opened, extended or renewed. If it was opened, also those that recognize the
 * browser and remember the way to log in.
 */
export function withSessionCookie(
  response: Response,
  { token, expiresAt, deviceTokens, method }: SessionCredential,
  { config, now }: Services,
): Response {
  const maxAge = Math.round((expiresAt.getTime() - now().getTime()) / SECOND_MS);
  withCookie(response, { ...SESSION_COOKIE, value: token, maxAge, domain: config.cookieDomain }, config);
  if (deviceTokens === undefined) return response;
  const value = deviceTokens.join(DEVICE_SEPARATOR);
  const name = hostCookie(DEVICE_COOKIE, config);
  withCookie(response, { name, value, maxAge: DEVICE_SECONDS }, config);
  if (method !== undefined) withLastMethod(response, method, config);
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
