import type { Config } from "../config/config.ts";
import { validationFailed } from "../errors/errors.ts";

type Origins = Pick<Config, "baseUrl" | "returnOrigins">;

/**
 * Some ways to sign in store the address until they end, so it must not have any length. This holds the longest request
 * of an app to /oauth/authorize, with its path and the mark of when it was first seen.
 */
const ADDRESS_MAX = 4352;

/** The page of this site that moves on to another origin. */
export const CONTINUE_PAGE = "/continue";

/**
 * Returns the path and query of the address to go to next, or null if it is not ours or too long. An address of another
 * origin in RETURN_ORIGINS becomes the path of the page of this site that moves on to it: a form must not redirect
 * there itself, because the form-action of our Content-Security-Policy governs its redirects too.
 */
export function ownPath(address: string | null, origins: Origins): string | null {
  if (address !== null && address.length > ADDRESS_MAX) return null;
  // Encoding makes an address up to twelve times as long.
  const path = pathOf(address, origins);
  return path !== null && path.length <= ADDRESS_MAX ? path : null;
}

function pathOf(address: string | null, { baseUrl, returnOrigins }: Origins): string | null {
  const url = parse(address, baseUrl);
  if (url === null) return null;
  // To a browser, `//evil.example` is another host, also as the path of a redirect.
  if (url.origin === baseUrl) return url.pathname.startsWith("//") ? null : url.pathname + url.search;
  const external = externalAddress(address, returnOrigins);
  return external && `${CONTINUE_PAGE}?${new URLSearchParams({ next: external })}`;
}

/** Returns the address in the form of the URL parser if its origin is one of `origins`, otherwise null. */
export function externalAddress(address: string | null, origins: string[]): string | null {
  const url = parse(address);
  if (url === null || !origins.includes(url.origin)) return null;
  return url.origin + url.pathname + url.search;
}

/**
 * Returns the origins, besides ours, that an invitation may lead to: those of products, and those at which apps are
 * registered. An app signs the person in itself, so it needs no session of ours.
 */
export function invitationOrigins({ returnOrigins, registrations }: Pick<Config, "returnOrigins" | "registrations">) {
  const ofApps = [...registrations?.clients.values() ?? []].flatMap(({ redirectUris, clientUri }) =>
    [...redirectUris, ...clientUri === null ? [] : [clientUri]].flatMap((address) => {
      const url = URL.parse(address);
      return url !== null && /^https?:$/.test(url.protocol) ? [url.origin] : [];
    })
  );
  return [...new Set([...returnOrigins, ...ofApps])];
}

/**
 * Returns the page of this site to go to after accepting an invitation, or null if there is none to go to.
 *
 * @throws {AppError} VALIDATION_FAILED for an address elsewhere.
 */
export function pageAfterInvitation(address: string | undefined, config: Config): string | null {
  if (!address) return null;
  const path = invitationPath(address, config);
  if (path === null) throw validationFailed({ next: [{ rule: "returnAddress" }] });
  return path;
}

/** Whether an invitation may lead to this address. */
export function isInvitationTarget(address: string | null, config: Config): boolean {
  return invitationPath(address, config) !== null;
}

function invitationPath(address: string | null, config: Config): string | null {
  return ownPath(address, { ...config, returnOrigins: invitationOrigins(config) });
}

/** Accepts paths, if there is a `base`, and http(s) URLs without credentials. */
function parse(address: string | null, base?: string): URL | null {
  const form = base === undefined ? /^https?:\/\//i : /^(\/|https?:\/\/)/i;
  if (address === null || !form.test(address)) return null;
  const url = URL.parse(address, base);
  return url?.username === "" && url.password === "" ? url : null;
}
