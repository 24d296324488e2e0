import { URL_MAX } from "../schemas/user_rules.ts";

/** What the addresses in CLIENTS_FILE may be. Source: RFC 6749, 3.1.2; RFC 8252, 7; RFC 8707, 2. */

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
export function webAddressProblem(address: string): string | null {
  return formProblem(address) ??
    (isWebAddress(address) ? null : "must be https, or http on 127.0.0.1, [::1] or localhost");
}

/** Returns what is wrong with an https address, or null. */
export function httpsProblem(address: string): string | null {
  return formProblem(address) ?? (HTTPS.test(address) && URL.canParse(address) ? null : "must be an https URL");
}

/** Returns what is wrong with an address that browsers take people back to, or null. */
export function redirectUriProblem(uri: string, { isPublic }: { isPublic: boolean }): string | null {
  const problem = formProblem(uri);
  if (problem !== null) return problem;
  if (isWebAddress(uri)) return null;
  if (!APP_SCHEME.test(uri) || !URL.canParse(uri)) {
    return "must be https, http on 127.0.0.1, [::1] or localhost, or begin with a scheme that has a dot, such as " +
      "com.example.app:/callback";
  }
  return isPublic ? null : "may begin with the scheme of an app only if the client has no secret";
}

/** Whether an address is https, or http on this machine. */
export function isWebAddress(address: string): boolean {
  return (HTTPS.test(address) || LOOPBACK.test(address)) && URL.canParse(address);
}

function formProblem(address: string): string | null {
  if (address.length > URL_MAX) return `must have at most ${URL_MAX} characters`;
  if (!URI.test(address)) return "must consist of the characters of a URI, with all others percent-encoded";
  if (address.includes("*")) return "must have no wildcard";
  if (address.includes("#")) return "must have no fragment";
  return CREDENTIALS.test(address) ? "must have no credentials" : null;
}
