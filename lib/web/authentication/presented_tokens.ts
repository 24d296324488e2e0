import { DEVICE_USERS } from "../../activity/device.ts";
import type { Config } from "../../config/config.ts";
import { cookieValues, hostCookie } from "../../http/cookies.ts";
import { DEVICE_COOKIE, DEVICE_SEPARATOR, SESSION_COOKIE } from "./session_cookie.ts";

/** 32 bytes in base64url. Anything else is ignored before it costs a hash and a query. */
const TOKEN = /^[\w-]{43}$/;

/** The session tokens of the request, usually one at most. Only the length of the header limits their number. */
export function sessionTokens(req: Request): string[] {
  return cookieValues(req, SESSION_COOKIE.name).filter((value) => TOKEN.test(value));
}

/**
 * Returns the tokens by which the browser was recognized before. An https site also accepts the name without prefix,
 * which it used before, until the next sign-in. A sibling site can plant that one, but a planted token belongs to no
 * user here.
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
