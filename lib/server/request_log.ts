/** Query parameters whose values are nothing but numbers and places in a list: the log shows them. */
const HARMLESS = /^(limit|cursor|size|expires)$/;
/** Others it shows by name: that they were there, not what they held. */
const KNOWN = /^(token|email|next|code|state|error|signature|x-amz-\w+)$/i;
const REDACTED = "[redacted]";
const PATH_MAX_LENGTH = 2048;

/**
 * Path and query of a request as the log may hold them, cut where they are long. Unknown parameters are redacted, names
 * included: a mangled link holds its token under another name, and a form that lost its script has the password in the
 * query.
 */
export function loggablePath(url: string): string {
  const parsed = URL.parse(url);
  if (parsed === null) return "(invalid)";
  const { pathname, searchParams } = parsed;
  if (searchParams.size === 0) return cut(pathname);
  const query = [...searchParams].map(([name, value]) => {
    if (HARMLESS.test(name)) return `${name}=${encodeURIComponent(value)}`;
    return KNOWN.test(name) ? `${name}=${REDACTED}` : REDACTED;
  });
  return cut(`${pathname}?${query.join("&")}`);
}

function cut(path: string): string {
  return path.length <= PATH_MAX_LENGTH ? path : `${path.slice(0, PATH_MAX_LENGTH)}...`;
}
