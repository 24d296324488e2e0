/** A name, an IPv4 address or an IPv6 address in brackets, and perhaps a port. Source: RFC 9110, 7.2. */
const HOST = /^([a-z0-9._-]+|\[[0-9a-f:.]+\])(:[0-9]{1,5})?$/i;
const AUTHORITY_PREFIX = "://";

/**
 * The request as it would be under the public origin: the Host header decides nothing, and cannot smuggle
 * in another path.
 *
 * @param init what it is beside its address; by default all that it was.
 * @returns null where the Host header or the path is none.
 */
export function requestAtOrigin(req: Request, origin: string, init: RequestInit = req): Request | null {
  const host = req.headers.get("host");
  const pathStart = req.url.indexOf("/", req.url.indexOf(AUTHORITY_PREFIX) + AUTHORITY_PREFIX.length);
  if ((host !== null && !HOST.test(host)) || pathStart === -1) return null;
  const path = req.url.slice(pathStart);
  if (!isDecodable(path)) return null;
  const url = origin + path;
  return url === req.url && init === req ? req : new Request(url, init);
}

function isDecodable(path: string): boolean {
  if (!path.includes("%")) return true;
  try {
    decodeURIComponent(path.split("?", 1)[0]);
    return true;
  } catch {
    return false;
  }
}
