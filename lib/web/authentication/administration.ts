import type { Context } from "fresh";

/**
 * Whether a request is for administration: the pages under /admin, the routes under /api/admin, and what is below them
 * without a route.
 */
export function isAdministration<S>({ route, url }: Pick<Context<S>, "route" | "url">): boolean {
  return /^\/(?:api\/)?admin(?:\/|$)/.test(route ?? url.pathname);
}

/** Whether a request is for a page of administration. */
export function isAdminPage<S>({ route, url }: Pick<Context<S>, "route" | "url">): boolean {
  return /^\/admin(?:\/|$)/.test(route ?? url.pathname);
}
