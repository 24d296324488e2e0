/** Query parameters whose values are nothing but numbers and places in a list: the log shows them. */
const HARMLESS = /^(limit|cursor|size|expires)$/;
/** Others it shows by name: that they were there, not what they held. */
const KNOWN = /^(token|email|next|code|state|error|signature|x-amz-\w+)$/i;
const REDACTED = "[redacted]";

/**
 * Path and query of a request as the log may hold them. Of what we do not know not even the name: a link that was
 * mangled on its way holds its token under another, and a form that lost its script has the password in the query.
 */
export function loggablePath(url: string): string {
  const parsed = URL.parse(url);
  if (parsed === null) return "(invalid)";
  const { pathname, searchParams } = parsed;
  if (searchParams.size === 0) return pathname;
  const query = [...searchParams].map(([name, value]) => {
    if (HARMLESS.test(name)) return `${name}=${encodeURIComponent(value)}`;
    return KNOWN.test(name) ? `${name}=${REDACTED}` : REDACTED;
  });
  return `${pathname}?${query.join("&")}`;
}
