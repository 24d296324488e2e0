import type { Config } from "./config.ts";

/** The settings that name hosts of this service. */
export type OwnHosts = Pick<Config, "apiOrigins" | "baseUrl" | "cookieDomain" | "returnOrigins" | "s3">;

/** Whether a host belongs to this service or its products: people may upload files there that others can read. */
export function isOwnHost(hostname: string, settings: OwnHosts): boolean {
  const { baseUrl, apiOrigins, returnOrigins, s3, cookieDomain } = settings;
  const host = hostname.replace(/\.$/, "");
  const domain = cookieDomain?.replace(/^\./, "").toLowerCase();
  const addresses = [baseUrl, ...apiOrigins, ...returnOrigins, ...s3 === undefined ? [] : [s3.publicUrl]];
  return addresses.some((address) => new URL(address).hostname === host) ||
    domain !== undefined && (host === domain || host.endsWith(`.${domain}`));
}
