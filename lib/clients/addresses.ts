import type { Problem } from "../errors/problem.ts";
import { URL_MAX } from "../schemas/user_rules.ts";

/** What the addresses of clients and resources may be. Source: RFC 6749, 3.1.2; RFC 8252, 7; RFC 8707, 2. */

/**
 * The characters of a URI, and encoded ones. A wildcard and a fragment have problems of their own. Source: RFC 3986, 2.
 */
const URI = /^(?:[A-Za-z0-9._~:/?[\]@!$&'()+,;=*#-]|%[0-9A-Fa-f]{2})+$/;
const HTTPS = /^https:\/\/[^/?#]/;
/** Written out: the URL parser also turns other texts into these hosts. */
const LOOPBACK = /^http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost)(?::\d{1,5})?(?:[/?#]|$)/;
/** The scheme of an app, which is a domain name in reverse. */
const APP_SCHEME = /^[a-z][a-z0-9+-]*(?:\.[a-z0-9+-]+)+:/i;
const CREDENTIALS = /^[^:]+:\/\/[^/?#]*@/;

/** Returns what is wrong with an address that is https, or http on this machine; null if nothing is. */
export function webAddressProblem(address: string): Problem | null {
  return formProblem(address) ?? (isWebAddress(address) ? null : { rule: "webOrLocal" });
}

/** Returns what is wrong with an https address, or null. */
export function httpsProblem(address: string): Problem | null {
  return formProblem(address) ?? (HTTPS.test(address) && URL.canParse(address) ? null : { rule: "httpsAddress" });
}

/** Returns what is wrong with an address that browsers take people back to, or null. */
export function redirectUriProblem(uri: string, { isPublic }: { isPublic: boolean }): Problem | null {
  const problem = formProblem(uri);
  if (problem !== null) return problem;
  if (isWebAddress(uri)) return null;
  if (!APP_SCHEME.test(uri) || !URL.canParse(uri)) return { rule: "redirectAddress" };
  return isPublic ? null : { rule: "appScheme" };
}

/** Whether an address is https, or http on this machine. */
export function isWebAddress(address: string): boolean {
  return (HTTPS.test(address) || LOOPBACK.test(address)) && URL.canParse(address);
}

function formProblem(address: string): Problem | null {
  if (address.length > URL_MAX) return { rule: "tooLong", max: URL_MAX };
  if (!URI.test(address)) return { rule: "uriCharacters" };
  if (address.includes("*")) return { rule: "noWildcard" };
  if (address.includes("#")) return { rule: "noFragment" };
  return CREDENTIALS.test(address) ? { rule: "noCredentials" } : null;
}
