import { parseCookie, parseSetCookie, type SetCookie, stringifySetCookie } from "cookie";
import type { SessionCredential } from "../accounts/session.ts";
import type { Config } from "../config.ts";
import { SECOND_MS } from "../duration.ts";
import type { Services } from "../services.ts";

/** Source: spec, Authentication 1. */
const SESSION_COOKIE = "auth_session";

/** More cookies of this name than anybody has by accident are not looked at. */
const MAX_COOKIES = 3;

/**
 * The session tokens of the request, of which at most one is usual. A browser sends two where COOKIE_DOMAIN has changed,
 * or where a site beside ours has set such a cookie for the whole domain: the older one first, good or not.
 */
export function sessionTokens(req: Request): string[] {
  const cookies = (req.headers.get("cookie") ?? "").split(";");
  return cookies.flatMap((cookie) => parseCookie(cookie)[SESSION_COOKIE] || []).slice(0, MAX_COOKIES);
}

/** Adds the cookie of a session that was opened or extended. */
export function withSessionCookie(response: Response, session: SessionCredential, services: Services): Response {
  const maxAge = Math.round((session.expiresAt.getTime() - services.now().getTime()) / SECOND_MS);
  return withCookie(response, { value: session.token, maxAge }, services.config);
}

/** Makes the browser forget the session. */
export function withoutSessionCookie(response: Response, { config }: Services): Response {
  return withCookie(response, { value: "", maxAge: 0 }, config);
}

/** The token of the session that a response opens or extends; empty where it ends one, undefined where it does none. */
export function sessionTokenSet(headers: Headers): string | undefined {
  return headers.getSetCookie().map((line) => parseSetCookie(line)).find(({ name }) => name === SESSION_COOKIE)?.value;
}

/** Source: spec, Authentication 2. */
function withCookie(response: Response, cookie: Pick<SetCookie, "value" | "maxAge">, config: Config): Response {
  response.headers.append(
    "Set-Cookie",
    stringifySetCookie({
      name: SESSION_COOKIE,
      ...cookie,
      path: "/",
      httpOnly: true,
      sameSite: "strict",
      secure: config.isProduction,
      domain: config.cookieDomain,
    }),
  );
  response.headers.set("Cache-Control", "no-store");
  return response;
}
