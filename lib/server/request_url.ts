/** A name, an IPv4 address or an IPv6 address in brackets, and perhaps a port. Source: RFC 9110, 7.2. */
const HOST = /^([a-z0-9._-]+|\[[0-9a-f:.]+\])(:[0-9]*)?$/i;
/** What precedes the path. Without a path, the first slash may be in the query. */
const ORIGIN = /^[^:/]+:\/\/[^/?#]*(?=\/)/;

/**
 * Puts the request under the public origin: the Host header decides nothing, and cannot smuggle in another path. The
 * request stays the same object, because a copy of it costs more than all else that a small request needs.
 *
 * @returns null where the Host header or the path is none.
 */
export function requestAtOrigin(req: Request, origin: string): Request | null {
  const host = req.headers.get("host");
  const requested = ORIGIN.exec(req.url)?.[0];
  if ((host !== null && !isHost(host)) || requested === undefined) return null;
  const path = req.url.slice(requested.length);
  if (!isDecodable(path)) return null;
  const url = origin + path;
  return url === req.url ? req : Object.defineProperty(req, "url", { value: url });
}

function isHost(text: string): boolean {
  const [, name, port = ""] = HOST.exec(text) ?? [, "", ":65536"];
  // Most names need no parser; numbers, brackets and punycode may be wrong.
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
