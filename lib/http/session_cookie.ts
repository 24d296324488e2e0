import { parseSetCookie, type SetCookie, stringifySetCookie } from "cookie";
import type { SessionCredential } from "../accounts/session.ts";
import type { Config } from "../config.ts";
import { SECOND_MS } from "../duration.ts";
import type { Services } from "../services.ts";
import { cookieValues } from "./cookie_values.ts";

/** Source: spec, Authentication 1. */
const SESSION_COOKIE = "auth_session";

/** 32 bytes in base64url. Anything else is dropped before it costs a hash. */
const TOKEN = /^[\w-]{43}$/;

/** The session tokens of the request, usually one at most. Only the length of the header limits their number. */
export function sessionTokens(req: Request): string[] {
  return cookieValues(req, SESSION_COOKIE).filter((value) => TOKEN.test(value));
}

/** Adds the cookie of a session that was opened or extended. */
export function withSessionCookie(response: Response, session: SessionCredential, services: Services): Response {
  const maxAge = Math.round((session.expiresAt.getTime() - services.now().getTime()) / SECOND_MS);
  const { cookieDomain: domain } = services.config;
  return withCookie(response, { value: session.token, maxAge, domain }, services.config);
}

/** Makes the browser forget the session, also one whose cookie was set before COOKIE_DOMAIN was. */
export function withoutSessionCookie(response: Response, { config }: Services): Response {
  for (const domain of new Set([config.cookieDomain, undefined])) {
    withCookie(response, { value: "", maxAge: 0, domain }, config);
  }
  return response;
}

/** The token of the session that the response opens or extends; empty if it ends one, otherwise undefined. */
export function sessionTokenSet(headers: Headers): string | undefined {
  return headers.getSetCookie().map((line) => parseSetCookie(line)).find(({ name }) => name === SESSION_COOKIE)?.value;
}

/** Source: spec, Authentication 2. */
function withCookie(
  response: Response,
  cookie: Pick<SetCookie, "value" | "maxAge" | "domain">,
  { isProduction }: Config,
): Response {
  response.headers.append(
    "Set-Cookie",
    stringifySetCookie({
      name: SESSION_COOKIE,
      ...cookie,
      path: "/",
      httpOnly: true,
      sameSite: "strict",
      secure: isProduction,
    }),
  );
  response.headers.set("Cache-Control", "no-store");
  return response;
}
