import { parseCookie } from "cookie";

/**
 * The distinct values of the request's cookies with this name, without empty ones. A browser sends several when a
 * sibling site has set a cookie for the whole domain ("cookie tossing"), or when COOKIE_DOMAIN has changed. That site
 * can decide which of them comes first.
 */
export function cookieValues({ headers }: Request, name: string): string[] {
  const cookies = (headers.get("cookie") ?? "").split(";");
  return [...new Set(cookies.flatMap((cookie) => parseCookie(cookie)[name] || []))];
}
