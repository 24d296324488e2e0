/** The links of the frame that guests see on every page. */
const FRAME_LINKS = ["/users", "/login", "/register", "/docs"];

/**
 * Returns what the marks of links in the frame depend on: the link to a path, with a slash at its end if the path is
 * below it, or "" if no link leads there.
 */
export function currentFrameLink(path: string): string {
  const link = FRAME_LINKS.find((each) => `${path}/`.startsWith(`${each}/`));
  if (link === undefined) return "";
  return path.length > link.length + 1 ? `${link}/` : link;
}
