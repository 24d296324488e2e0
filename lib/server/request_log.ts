/** Query parameters whose values may be logged: numbers and positions in a list. */
const HARMLESS = /^(limit|cursor|size|expires)$/;
/** Query parameters of which only the name is logged. */
const KNOWN = /^(token|link|email|next|code|state|error|signature|x-amz-\w+)$/i;
/**
 * An address whose path can be logged as it is: without characters to decode or segments to resolve, and with no other
 * parameters than harmless ones. Parsing one with a query would take as long as writing the line.
 */
const PLAIN =
  /^\w+:\/\/[^/?#]+((?:\/[\w~-][\w.~-]*)*\/?(?:[?](?:(?:limit|cursor|size|expires)=[\w.~-]*(?:&(?!$)|$))+)?)$/;
/** Where a mangled link has its query in the path. Our own paths contain none of these. */
const QUERY_IN_PATH = /(%3f|%26|%3d|%3b|[&=;]).*/is;
/** Where people prove who they are, in the API and on pages. */
const WAY_IN =
  /^\/(auth\/(login|code|code\/verify|passkey|second-factor|reauthenticate|idp(\/[^/?]+)?\/callback)|login|login-code|second-factor|reauthenticate)\/?([?]|$)/;
/** The statuses of wrong, forbidden and too many proofs. */
const REFUSED = [401, 403, 429];
const REDACTED = "[redacted]";
const PATH_MAX_LENGTH = 2048;

/**
 * The path and query of a request for the log, truncated. Unknown parameters are redacted, names included: a mangled
 * link has its token under another name, and a form whose script failed may have the password in the query.
 */
export function loggablePath(url: string): string {
  const plain = PLAIN.exec(url)?.[1];
  if (plain?.startsWith("/")) return truncate(plain);
  const parsed = URL.parse(url);
  if (parsed === null) return "(invalid)";
  const { search } = parsed;
  const pathname = parsed.pathname.replace(QUERY_IN_PATH, REDACTED);
  if (search === "") return truncate(pathname);
  // Parsing all of a long query would cost more than the rest of a small request.
  const parameters = new URLSearchParams(search.slice(0, PATH_MAX_LENGTH));
  if (parameters.size === 0) return truncate(pathname);
  const query = [...parameters].map(([name, value]) => {
    if (HARMLESS.test(name)) return `${name}=${encodeURIComponent(value)}`;
    return KNOWN.test(name) ? `${name}=${REDACTED}` : REDACTED;
  });
  return truncate(`${pathname}?${query.join("&")}`);
}

/**
 * Whether a response refuses someone at a way in. Its log line names the client, so that operators find those who guess
 * and can block them.
 */
export function isRefusedAtWayIn(path: string, status: number): boolean {
  return REFUSED.includes(status) && WAY_IN.test(path);
}

function truncate(path: string): string {
  return path.length <= PATH_MAX_LENGTH ? path : `${path.slice(0, PATH_MAX_LENGTH)}...`;
}
