import { parseSetCookie } from "cookie";
import type { SessionCredential } from "../accounts/session.ts";
import { SECOND_MS } from "../duration.ts";
import type { Services } from "../services.ts";
import { cookieValues, withCookie, withoutCookie } from "./cookies.ts";

/** Source: spec, Authentication 1 and 2. */
const SESSION_COOKIE = { name: "auth_session", sameSite: "strict" } as const;

/** 32 bytes in base64url. Anything else is ignored before it costs a hash and a query. */
const TOKEN = /^[\w-]{43}$/;

/** The session tokens of the request, usually one at most. Only the length of the header limits their number. */
export function sessionTokens(req: Request): string[] {
  return cookieValues(req, SESSION_COOKIE.name).filter((value) => TOKEN.test(value));
}

/** Adds the cookie of a session that was opened or extended. */
export function withSessionCookie(response: Response, session: SessionCredential, services: Services): Response {
  const maxAge = Math.round((session.expiresAt.getTime() - services.now().getTime()) / SECOND_MS);
  const { cookieDomain: domain } = services.config;
  return withCookie(response, { ...SESSION_COOKIE, value: session.token, maxAge, domain }, services.config);
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
