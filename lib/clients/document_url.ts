import type { Config } from "../config/config.ts";
import { isOwnHost, type OwnHosts } from "../config/own_hosts.ts";

/** The longest `client_id` that is the address of a document. */
const URL_MAX = 512;
/** Printable ASCII without spaces, quotes, angle brackets, backslashes and fragments. Source: RFC 3986, 2. */
const CHARACTERS = /^[!$%&'()*+,./0-9:;=?@A-Z[\]_a-z~-]+$/;
/** A scheme, a host without credentials, perhaps a port, and a path. */
const FORM = /^https?:\/\/[^/?@]+\/[^?]/;
const DOT_SEGMENT = /\/(?:\.|%2e){1,2}(?=[/?]|$)/i;
const LOOPBACK = ["127.0.0.1", "[::1]", "localhost"];

type DocumentSettings = OwnHosts & Pick<Config, "clientDocuments" | "clientDocumentsAllowPrivate">;

/**
 * Returns the address of the metadata document that a `client_id` is, or null if it may not be one. Source: OAuth
 * Client ID Metadata Document, 3.
 */
export function documentUrl(id: string, settings: DocumentSettings): URL | null {
  if (id.length > URL_MAX || !CHARACTERS.test(id) || !FORM.test(id) || DOT_SEGMENT.test(id)) return null;
  const url = URL.parse(id);
  if (url === null || url.username !== "" || !isReachable(url, settings) || isOwnHost(url.hostname, settings)) {
    return null;
  }
  const { clientDocuments: accepted } = settings;
  return accepted === "all" || accepted?.includes(url.hostname) ? url : null;
}

function isReachable({ protocol, port, hostname }: URL, settings: DocumentSettings): boolean {
  const { clientDocumentsAllowPrivate: allowsPrivate } = settings;
  if (protocol === "http:") return allowsPrivate && LOOPBACK.includes(hostname);
  return protocol === "https:" && (port === "" || allowsPrivate);
}
