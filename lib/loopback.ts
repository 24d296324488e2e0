/** Host names of the machine itself. */
export const LOOPBACK_NAMES = ["localhost", "127.0.0.1", "[::1]"];

/** Whether requests to an address cannot be read in transit: true for https, and in development for http to loopback. */
export function isConfidential(address: string, { isProduction }: { isProduction: boolean }): boolean {
  const { protocol, hostname } = new URL(address);
  return protocol === "https:" || (protocol === "http:" && !isProduction && LOOPBACK_NAMES.includes(hostname));
}
