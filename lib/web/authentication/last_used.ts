import type { SessionCredential } from "../../access/session.ts";
import type { Config } from "../../config/config.ts";
import { mayUsePassword } from "../../config/passwords_setting.ts";
import { YEAR_SECONDS } from "../../duration.ts";
import { cookieValues, hostCookie, withCookie } from "../../http/cookies.ts";

/** Names the way in which someone last logged in with this browser, so that /login can mark it. It names no person. */
const LAST_USED_COOKIE = "last_used";

/** The name of a sign-in with a provider. No key of a provider can be mistaken for another way. */
export function providerWay(key: string): string {
  return `idp-${key}`;
}

/** Remembers the way of a session that was opened. `idp` does not say which provider: its own handler knows. */
export function withLastMethod(
  response: Response,
  method: NonNullable<SessionCredential["method"]>,
  config: Config,
): Response {
  // Nobody can log in with a link that has been used.
  if (method === "idp" || method === "link") return response;
  if (method === "invitation" && !mayUsePassword(config, "first")) return response;
  // Whoever accepts an invitation has just chosen a password.
  return withLastUsed(response, method === "invitation" ? "password" : method, config);
}

/** Remembers a way to log in. */
export function withLastUsed(response: Response, way: string, config: Config): Response {
  return withCookie(response, { name: hostCookie(LAST_USED_COOKIE, config), value: way, maxAge: YEAR_SECONDS }, config);
}

/** The way in which someone last logged in with this browser, or null. It may be one that does not exist (anymore). */
export function lastUsedWay(req: Request, config: Config): string | null {
  return cookieValues(req, hostCookie(LAST_USED_COOKIE, config))[0] ?? null;
}
