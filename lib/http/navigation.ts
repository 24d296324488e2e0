/**
 * Whether a browser shows the response as a page. Old browsers do not send `Sec-Fetch-Mode`, nor do all by plain http.
 * Where a proxy drops or changes `Accept`, a browser that opens a page still asks for upgrades to https. Source:
 * Upgrade Insecure Requests, 3.2.1.
 */
export function isNavigation(req: Request): boolean {
  const { headers } = req;
  const mode = headers.get("sec-fetch-mode");
  const acceptsPage = headers.get("accept")?.includes("text/html") || headers.get("upgrade-insecure-requests") === "1";
  return acceptsPage && (mode === null ? isRead(req) : mode === "navigate");
}

/** Whether the request only reads. */
export function isRead({ method }: Request): boolean {
  return method === "GET" || method === "HEAD";
}
