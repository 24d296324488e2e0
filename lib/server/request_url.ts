/** A name, an IPv4 address or an IPv6 address in brackets, with an optional port. Source: RFC 9110, 7.2. */
const HOST = /^([a-z0-9._-]+|\[[0-9a-f:.]+\])(:[0-9]*)?$/i;
const AUTHORITY_PREFIX = "://";

/**
 * Puts the request under the public origin, so that the Host header changes neither origin nor path. Changes the request
 * object itself: copying it would cost more than the rest of a small request.
 *
 * @returns null when the Host header or the path is invalid.
 */
export function requestAtOrigin(req: Request, origin: string): Request | null {
  const host = req.headers.get("host");
  const pathStart = req.url.indexOf("/", req.url.indexOf(AUTHORITY_PREFIX) + AUTHORITY_PREFIX.length);
  if ((host !== null && !isHost(host)) || pathStart === -1) return null;
  const path = req.url.slice(pathStart);
  if (!isDecodable(path)) return null;
  const url = origin + path;
  return url === req.url ? req : Object.defineProperty(req, "url", { value: url });
}

function isHost(text: string): boolean {
  const [, name, port = ""] = HOST.exec(text) ?? [, "", ":65536"];
  // Only numbers, brackets and punycode need the URL parser.
  return Number(port.slice(1)) <= 65_535 && (!/[\d\]]$|xn--/i.test(name) || URL.canParse(`http://${name}`));
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
