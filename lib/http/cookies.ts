import { parseCookie, type SetCookie, stringifySetCookie } from "cookie";
import type { Config } from "../config/config.ts";

/** A cookie to set. `maxAge` is in seconds; the path is `/` and `sameSite` is `lax` unless given. */
export type NewCookie = Pick<SetCookie, "name" | "value" | "maxAge" | "path" | "domain" | "sameSite">;

const HOST_PREFIX = "__Host-";

/**
 * Returns the full name of a cookie whose name nothing prescribes. On an https site it starts with `__Host-`: browsers
 * accept such a cookie only from this host, for the path `/` and without a domain, so that no sibling site can plant
 * it.
 */
export function hostCookie(name: string, { baseUrl }: Config): string {
  return baseUrl.startsWith("https:") ? HOST_PREFIX + name : name;
}

/** Sets a cookie that scripts cannot read, and keeps caches from storing it. Source: docs/rules.md, Session cookie. */
export function withCookie(response: Response, cookie: NewCookie, { isProduction }: Config): Response {
  const secure = isProduction || cookie.name.startsWith(HOST_PREFIX);
  const line = stringifySetCookie({ path: "/", sameSite: "lax", httpOnly: true, secure, ...cookie });
  response.headers.append("Set-Cookie", line);
  return withNoStore(response);
}

/** Keeps caches from storing a response. One that already does so keeps its own words. */
export function withNoStore(response: Response): Response {
  const { headers } = response;
  if (!headers.get("Cache-Control")?.includes("no-store")) headers.set("Cache-Control", "no-store");
  return response;
}

/** Makes the browser delete the cookie of this name, path and domain. */
export function withoutCookie(response: Response, cookie: Omit<NewCookie, "value" | "maxAge">, config: Config) {
  return withCookie(response, { ...cookie, value: "", maxAge: 0 }, config);
}

/** The names of the request's cookies. */
export function cookieNames({ headers }: Request): string[] {
  return Object.keys(parseCookie(headers.get("cookie") ?? ""));
}

/**
 * The distinct values of the request's cookies with this name, without empty ones. A browser sends several when a
 * sibling site has set a cookie for the whole domain ("cookie tossing"), or when COOKIE_DOMAIN has changed. That site
 * can decide which of them comes first.
 */
export function cookieValues({ headers }: Request, name: string): string[] {
  const header = headers.get("cookie");
  if (header === null || !header.includes(name)) return [];
  const cookies = header.split(";").filter((cookie) => cookie.includes(name));
  return [...new Set(cookies.flatMap((cookie) => parseCookie(cookie)[name] || []))];
}
