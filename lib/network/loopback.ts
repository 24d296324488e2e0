/** The only name of the machine itself that is not an IP address. */
export const LOCALHOST = "localhost";
/** Host names of the machine itself. */
export const LOOPBACK_NAMES = [LOCALHOST, "127.0.0.1", "[::1]"];

/**
 * Whether requests to an address cannot be read in transit: true for https, and in development for http to loopback.
 */
export function isConfidential(address: string, { isProduction }: { isProduction: boolean }): boolean {
  const { protocol, hostname } = new URL(address);
  return protocol === "https:" || (protocol === "http:" && !isProduction && LOOPBACK_NAMES.includes(hostname));
}
