import ipaddr from "ipaddr.js";

/** The addresses of IPv6 that are given out. Source: RFC 4291, 2.4; IANA, IPv6 Global Unicast Address Space. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR("2000::/3");

/**
 * Public-looking addresses of services inside clouds. Source: Microsoft, What is IP
 * address 168.63.129.16; IBM Cloud, IP ranges, Service network.
 */
const INSIDE_CLOUDS = ["168.63.129.16/32", "161.26.0.0/16", "166.8.0.0/14"].map((range) =>
  ipaddr.IPv4.parseCIDR(range)
);

/**
 * Whether an IP address is one of the public Internet: not of this machine, of a private network or of a special use,
 * also not inside an IPv6 address.
 *
 * @param address without brackets. A text that is no address is not public.
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  if (parsed.range() !== "unicast") return false;
  // The library takes what it does not know for unicast, such as ::7f00:1.
  return parsed instanceof ipaddr.IPv4
    ? !INSIDE_CLOUDS.some((range) => parsed.match(range))
    : parsed.match(GLOBAL_UNICAST);
}

/** Returns the IP address that a URL names as its host; null if it names another host. */
export function addressInUrl({ hostname }: URL): string | null {
  const host = hostname.replace(/^\[(.*)\]$/, "$1");
  return ipaddr.isValid(host) ? host : null;
}
