/** The names by which a machine calls itself. */
export const LOOPBACK_NAMES = ["localhost", "127.0.0.1", "[::1]"];

/** True for https, and in development for http to this same machine: what is sent there nobody on the way can read. */
export function isConfidential(address: string, { isProduction }: { isProduction: boolean }): boolean {
  const { protocol, hostname } = new URL(address);
  return protocol === "https:" || (protocol === "http:" && !isProduction && LOOPBACK_NAMES.includes(hostname));
}
