import type { RegisteredClient } from "../../config/registered_client.ts";

/** Where an answer to an app goes, and what the app recognizes it by. */
export interface ReturnAddress {
  /** One that is registered, exactly as the app sent it. */
  redirectUri: string;
  /** The app's own value, which every answer repeats; null if it sent none. */
  state: string | null;
}

/** An http address on this device: the name, the port and the rest. */
const LOOPBACK = /^http:\/\/(127\.0\.0\.1|\[::1\]|localhost)(?::([1-9]\d{0,4}))?((?:[/?].*)?)$/;
const PORT_MAX = 65535;

/**
 * Whether a redirect URI is registered for a client. Texts are compared, without any decoding: parsers disagree about
 * addresses such as `https://app.example\@evil.example`. A program on a device listens on the port that it gets, so
 * only there may the port differ. Source: RFC 9700, 2.1; RFC 8252, 7.3.
 */
export function isRegistered(redirectUri: string, { redirectUris }: Pick<RegisteredClient, "redirectUris">): boolean {
  return redirectUris.some((registered) => registered === redirectUri || differOnlyInPort(registered, redirectUri));
}

function differOnlyInPort(registered: string, requested: string): boolean {
  const [known, given] = [LOOPBACK.exec(registered), LOOPBACK.exec(requested)];
  if (known === null || given === null || Number(given[2] ?? 80) > PORT_MAX) return false;
  return known[1] === given[1] && known[3] === given[3];
}

/**
 * Whether any program on the device of the person can claim this redirect URI: it is on loopback, or has a scheme of
 * its own. Source: RFC 8252, 8.6.
 */
export function isClaimable(redirectUri: string): boolean {
  return !redirectUri.startsWith("https://");
}

/**
 * Returns the address that takes the browser back to the app with an answer. Spaces become %20, which every parser
 * reads. What the redirect URI already has stays as it is.
 */
export function answerAddress(
  { redirectUri, state }: ReturnAddress,
  { issuer, ...answer }: Record<string, string> & { issuer: string },
): string {
  const parameters = { ...answer, ...(state !== null && { state }), iss: issuer };
  const query = Object.entries(parameters).map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join("&");
  if (!redirectUri.includes("?")) return `${redirectUri}?${query}`;
  return redirectUri + (/[?&]$/.test(redirectUri) ? "" : "&") + query;
}
