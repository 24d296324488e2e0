/**
 * Whether a browser shows the response as a page. Old browsers do not send `Sec-Fetch-Mode`, nor do all by plain http.
 */
export function isNavigation(req: Request): boolean {
  const mode = req.headers.get("sec-fetch-mode");
  const acceptsPage = req.headers.get("accept")?.includes("text/html") === true;
  return acceptsPage && (mode === null ? isRead(req) : mode === "navigate");
}

/** Whether the request only reads. */
export function isRead({ method }: Request): boolean {
  return method === "GET" || method === "HEAD";
}
