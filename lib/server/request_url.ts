/** A name, an IPv4 address or an IPv6 address in brackets, with an optional port. Source: RFC 9110, 7.2. */
const HOST = /^([a-z0-9._-]+|\[[0-9a-f:.]+\])(:[0-9]*)?$/i;
/** What precedes the path. Without a path, the first slash may be in the query. */
const ORIGIN = /^[^:/]+:\/\/[^/?#]*(?=\/)/;

/**
 * Puts the request under the public origin, so that the Host header changes neither origin nor path. Changes the
 * request object itself: copying it would cost more than the rest of a small request.
 *
 * @returns null when the Host header or the path is invalid.
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

/** The latest valid Host header. Most requests have the same, and an address costs the URL parser. */
let knownHost = "";

function isHost(text: string): boolean {
  if (text === knownHost) return true;
  const isValid = isValidHost(text);
  if (isValid) knownHost = text;
  return isValid;
}

function isValidHost(text: string): boolean {
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
