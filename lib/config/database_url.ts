/** The parameters that name a file. */
const FILES = ["sslrootcert", "sslcert", "sslkey"];

/**
 * Parses a URL of PostgreSQL; null if it is none. As in PostgreSQL's own programs, a user may stand without a host:
 * `postgres://foyer@/foyer?host=/run/postgresql`.
 */
export function parseDatabaseUrl(text: string): URL | null {
  const url = URL.parse(text.replace("@/", "@localhost/"));
  return url !== null && /^postgres(ql)?:$/.test(url.protocol) && url.hash === "" ? url : null;
}

/** Returns the path of the server's socket, or null if the URL names a host. */
export function socketPath(url: URL): string | null {
  const host = url.searchParams.get("host") ?? decodeURIComponent(url.hostname);
  const port = url.searchParams.get("port") || url.port || "5432";
  return host.startsWith("/") ? `${host}/.s.PGSQL.${port}` : null;
}

/** Returns the files that the URL names: certificates and a key. */
export function certificateFiles(url: URL): string[] {
  return FILES.flatMap((name) => url.searchParams.get(name) || []);
}
