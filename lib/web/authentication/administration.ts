import type { Context } from "fresh";

/**
 * Whether a request is for administration: the pages under /admin, the routes under /api/admin, and what is below them
 * without a route. Routes declare who may use them; this is for programs, to which no page is open.
 */
export function isAdministration<S>({ route, url }: Pick<Context<S>, "route" | "url">): boolean {
  return /^\/(?:api\/)?admin(?:\/|$)/.test(route ?? url.pathname);
}
