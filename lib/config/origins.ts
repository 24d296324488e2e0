import { isConfidential, LOCALHOST, LOOPBACK_NAMES } from "../network/loopback.ts";
import { DEVELOPMENT_ORIGIN, type Variables } from "./environment.ts";
import { originOf } from "./variable_types.ts";

/** Returns the public origin, without a trailing slash. */
export function baseUrlOf({ BASE_URL, PORT }: Pick<Variables, "BASE_URL" | "PORT">): string {
  return BASE_URL ?? `${DEVELOPMENT_ORIGIN}:${PORT}`;
}

/**
 * Returns the audiences that are origins. In production, http counts only on this machine: anyone on the way could
 * replace the scripts of another page.
 */
export function productOrigins({ APP_ENV, TOKEN_AUDIENCES }: Variables): string[] {
  const origins = TOKEN_AUDIENCES.flatMap((audience) => originOf(audience) ?? []);
  return APP_ENV === "production" ? origins.filter((it) => isConfidential(it, { isProduction: false })) : origins;
}

/**
 * Where passkeys work: the domain that they belong to, and the origins of the pages that may use them. Browsers refuse
 * IP addresses, so on a developer's machine passkeys belong to localhost, whichever loopback name BASE_URL uses. At any
 * other IP address there are none.
 */
export function passkeySettings(env: Variables) {
  const baseUrl = baseUrlOf(env);
  const { APP_ENV, PASSKEY_RP_ID } = env;
  const url = new URL(baseUrl);
  if (!LOOPBACK_NAMES.includes(url.hostname)) {
    return { rpId: PASSKEY_RP_ID ?? url.hostname, origins: [baseUrl], arePossible: !isIpAddress(url.hostname) };
  }
  url.hostname = LOCALHOST;
  const origins = APP_ENV === "production" ? [baseUrl] : [...new Set([baseUrl, url.origin])];
  return { rpId: LOCALHOST, origins, arePossible: true };
}

/** @param hostname of a URL, whose parser turns every other form of IPv4 address into four decimal numbers. */
function isIpAddress(hostname: string): boolean {
  return hostname.startsWith("[") || /^[0-9.]+$/.test(hostname);
}
