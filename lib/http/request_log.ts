/**
 * Query parameters that are secrets or prove something, and the one that holds an address with a query of its own: the
 * log shows that they were there, not what they held.
 */
const SECRET_PARAMETER = /^(token|code|state|signature|x-amz-signature|x-amz-credential|email|next)$/i;

/** Path and query of a request as the log may hold them. */
export function loggablePath(url: string): string {
  const parsed = URL.parse(url);
  if (parsed === null) return "(invalid)";
  const { pathname, searchParams } = parsed;
  if (searchParams.size === 0) return pathname;
  const query = [...searchParams].map(([name, value]) =>
    `${encodeURIComponent(name)}=${SECRET_PARAMETER.test(name) ? "[redacted]" : encodeURIComponent(value)}`
  );
  return `${pathname}?${query.join("&")}`;
}
