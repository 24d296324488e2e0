/** The parameters that name a file. */
const FILES = ["sslrootcert", "sslcert", "sslkey"];
/** The parameters that the driver uses. */
const PARAMETERS = [
  ...["host", "port", "user", "password", "options", "application_name", "fallback_application_name"],
  ...["ssl", "sslmode", "sslnegotiation", "uselibpqcompat", ...FILES],
];
/** Modes of TLS. Here, those in between check the certificate like the strictest one, whatever libpq does. */
const STRICT_MODES = ["prefer", "require", "verify-ca", "verify-full"];
/** The values of parameters that have few. */
const VALUES: Record<string, string[]> = {
  sslmode: ["disable", "no-verify", ...STRICT_MODES],
  ssl: ["true", "1", "0", "no-verify"],
  sslnegotiation: ["postgres", "direct"],
  target_session_attrs: ["any", "read-write", "primary"],
  client_encoding: ["auto", "utf8", "UTF8", "utf-8", "UTF-8"],
};
/** What to write instead of parameters without which the service would connect elsewhere, or as someone else. */
const INSTEAD: Record<string, string> = {
  dbname: "write the name of the database as the path: postgres://user@host/name",
  hostaddr: "write the address as the host",
  passfile: "write the password as postgres://user:password@host/name",
  service: "write the host, the database and the user here",
};
const ENCODE = "In its password, write characters such as # / ? @ as %23 %2F %3F %40";
const NOT_POSTGRES = `must be a postgres:// URL. ${ENCODE}`;
const ONE_HOST = "names several hosts, which is not supported. Name one that always leads to the primary, such as a " +
  "proxy or a DNS name";

/**
 * Parses a URL of PostgreSQL; null if it is none. As in PostgreSQL's own programs, a user may stand without a host:
 * `postgres://foyer@/foyer?host=/run/postgresql`.
 */
export function parseDatabaseUrl(text: string): URL | null {
  const url = URL.parse(text.replace("@/", "@localhost/"));
  return url !== null && /^postgres(ql)?:$/.test(url.protocol) && url.hash === "" ? url : null;
}

/** Returns what is wrong with a URL of PostgreSQL, or null. The text leaves out the password. */
export function databaseUrlProblem(text: string): string | null {
  const url = parseDatabaseUrl(text);
  if (url === null) return /^postgres(ql)?:\/\/[^/?#]*,/.test(text) ? ONE_HOST : NOT_POSTGRES;
  const parameters = [...url.searchParams];
  if ([url.hostname, url.searchParams.get("host"), url.searchParams.get("port")].some((each) => each?.includes(","))) {
    return ONE_HOST;
  }
  if (url.pathname.includes("@") || parameters.some(([name]) => name.includes("@"))) return NOT_POSTGRES;
  for (const [name, value] of parameters) {
    if (name in INSTEAD) return `does not take the parameter ${name}: ${INSTEAD[name]}`;
    if (VALUES[name]?.includes(value) === false) {
      return `does not take ${name}=${value}. ${name} must be one of ${VALUES[name].join(", ")}`;
    }
  }
  return null;
}

/** Returns the parameters of the URL that change nothing: neither the driver nor the service uses them. */
export function unusedParameters(url: URL): string[] {
  return [...new Set(url.searchParams.keys())].filter((name) => !PARAMETERS.includes(name) && !(name in VALUES));
}

/** Returns the URL as the driver takes it: it would use unknown parameters as options, and warn of modes of TLS. */
export function driverUrl(text: string): string {
  const url = parseDatabaseUrl(text)!;
  for (const name of [...url.searchParams.keys()]) if (!PARAMETERS.includes(name)) url.searchParams.delete(name);
  const { searchParams } = url;
  const isStrict = STRICT_MODES.includes(searchParams.get("sslmode") ?? "") && !searchParams.has("uselibpqcompat");
  if (isStrict) searchParams.set("sslmode", "verify-full");
  return url.href;
}

/** Whether the driver connects with TLS. */
export function usesTls(url: URL): boolean {
  const { searchParams } = url;
  const mode = searchParams.get("sslmode");
  if (mode !== null) return mode !== "disable";
  return !["0", null].includes(searchParams.get("ssl")) || searchParams.get("sslnegotiation") === "direct" ||
    certificateFiles(url).length > 0;
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
