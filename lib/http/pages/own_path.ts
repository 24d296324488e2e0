/**
 * The path and query of an address that a request names as the place to go next, or null where it is none of ours:
 * `//evil.example` and `/\evil.example` are other hosts to a browser.
 */
export function ownPath(address: string | null, baseUrl: string): string | null {
  if (!address?.startsWith("/")) return null;
  const url = URL.parse(address, baseUrl);
  if (url === null || url.origin !== baseUrl || url.pathname.startsWith("//")) return null;
  return url.pathname + url.search;
}
