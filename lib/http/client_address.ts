import ipaddr from "ipaddr.js";

const IPV6_NETWORK_BITS = 64;
const IPV6_SITE_BITS = 48;
/** An IPv4 address as sockets and proxies write it. Parsing it would take a twentieth of the time of a short read. */
const PLAIN_IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/;

/** Only the end of X-Forwarded-For is read, longer than ten proxies would write: clients may put anything before it. */
const FORWARDED_MAX_LENGTH = 1_000;

/**
 * The address by which a client's attempts are counted: that of the socket, or the one that the outermost trusted proxy
 * saw. Entries further left in X-Forwarded-For may be forged. An IPv6 client usually has a whole /64 network, so
 * attempts are counted by network.
 *
 * @param trustedProxies how many proxies are in front of the app. Each adds one entry.
 */
export function clientAddress(req: Request, info: Deno.ServeHandlerInfo, trustedProxies: number): string {
  const peer = info.remoteAddr.transport === "tcp" ? info.remoteAddr.hostname : "";
  if (trustedProxies === 0) return networkOf(peer) ?? peer;
  const hops = (req.headers.get("x-forwarded-for") ?? "").slice(-FORWARDED_MAX_LENGTH).split(",").map((hop) =>
    hop.trim()
  ).filter(Boolean);
  const seen = hops[Math.max(hops.length - trustedProxies, 0)];
  return networkOf(seen ?? peer) ?? networkOf(peer) ?? peer;
}

/** The /48 network that an IPv6 client may have whole, from its client address. Null for IPv4. */
export function siteOf(address: string): string | null {
  if (!address.includes(":")) return null;
  return ipaddr.IPv6.networkAddressFromCIDR(`${address}/${IPV6_SITE_BITS}`).toString();
}

/**
 * The networks that a client address belongs to, from the widest to the narrowest: for IPv6 the /48, then the address.
 */
export function networksOf(address: string): string[] {
  const site = siteOf(address);
  return site === null ? [address] : [site, address];
}

/** The IPv4 address, or the /64 network of the IPv6 address. Null if the text is neither. */
function networkOf(text: string): string | null {
  if (PLAIN_IPV4.test(text)) return text;
  const address = text.replace(/^\[(.*)\](:\d+)?$/, "$1").replace(/^([\d.]+):\d+$/, "$1").replace(/%.*$/, "");
  if (!ipaddr.isValid(address) || (!address.includes(":") && !ipaddr.IPv4.isValidFourPartDecimal(address))) return null;
  const parsed = ipaddr.process(address);
  if (parsed.kind() === "ipv4") return parsed.toString();
  return ipaddr.IPv6.networkAddressFromCIDR(`${parsed}/${IPV6_NETWORK_BITS}`).toString();
}
