/** Scheme and host of a URI, and a slash that stands alone behind them. */
const START = /^([a-z][a-z0-9+.-]*:\/\/[^/?#]*)(\/$)?/i;

/**
 * Returns the known resource that a URI names, or the URI itself. Scheme and host may have another case, and a lone
 * final slash does not count. Source: Model Context Protocol, Authorization, Canonical Server URI; RFC 3986, 6.2.2.1.
 */
export function namedResource(uri: string, known: readonly string[]): string {
  if (known.includes(uri)) return uri;
  const canonical = canonicalUri(uri);
  return known.find((each) => canonicalUri(each) === canonical) ?? uri;
}

function canonicalUri(uri: string): string {
  return uri.replace(START, (_, start: string) => start.toLowerCase());
}
