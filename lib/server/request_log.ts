/** Query parameters whose values may be logged: numbers and positions in a list. */
const HARMLESS = /^(limit|cursor|size|expires)$/;
/** Query parameters of which only the name is logged. */
const KNOWN = /^(token|email|next|code|state|error|signature|x-amz-\w+)$/i;
const REDACTED = "[redacted]";
const PATH_MAX_LENGTH = 2048;

/**
 * The path and query of a request for the log, truncated. Unknown parameters are redacted, names included: a mangled
 * link has its token under another name, and a form whose script failed may have the password in the query.
 */
export function loggablePath(url: string): string {
  const parsed = URL.parse(url);
  if (parsed === null) return "(invalid)";
  const { pathname, searchParams } = parsed;
  if (searchParams.size === 0) return truncate(pathname);
  const query = [...searchParams].map(([name, value]) => {
    if (HARMLESS.test(name)) return `${name}=${encodeURIComponent(value)}`;
    return KNOWN.test(name) ? `${name}=${REDACTED}` : REDACTED;
  });
  return truncate(`${pathname}?${query.join("&")}`);
}

function truncate(path: string): string {
  return path.length <= PATH_MAX_LENGTH ? path : `${path.slice(0, PATH_MAX_LENGTH)}...`;
}
