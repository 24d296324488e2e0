/**
 * Returns the path and query of the address to go to next, or null if it is not ours. To a browser, `//evil.example` and
 * `/\evil.example` are other hosts.
 */
export function ownPath(address: string | null, baseUrl: string): string | null {
  if (!address?.startsWith("/")) return null;
  const url = URL.parse(address, baseUrl);
  if (url === null || url.origin !== baseUrl || url.pathname.startsWith("//")) return null;
  return url.pathname + url.search;
}
