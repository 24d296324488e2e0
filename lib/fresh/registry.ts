import { mergePath } from "./pattern.ts";
import { renderRoute, toRoute } from "./route.ts";
import type { Router } from "./router.ts";
import type { Segment } from "./segments.ts";
import type { MaybeLazy, MaybeLazyMiddleware, Method, Middleware, Route, RouteConfig } from "./types.ts";

const ALL_METHODS: Method[] = ["GET", "DELETE", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"];

/** Where an application and its file routes are registered. */
export interface Registry<State> {
  root: Segment<State>;
  router: Router<Middleware<State>>;
  basePath: string;
}

/** Registers one thing; an application is a list of these, applied in order. */
export type Registration<State> = (registry: Registry<State>) => void;

/** A route and where it stands. */
export interface RoutePlace<State> {
  pattern: string;
  route: MaybeLazy<Route<State>>;
  /** Of a route that is not loaded yet. */
  config?: RouteConfig;
  /** Whether layouts and middlewares of the full pattern apply to it. */
  includeLast: boolean;
}

/** Registers handlers of one method, or of all. */
export function addHandlers<State>(
  { root, router, basePath }: Registry<State>,
  pattern: string,
  { method, fns }: { method: Method | "ALL"; fns: MaybeLazyMiddleware<State>[] },
): void {
  const item = root.at(pattern, true).around(fns);
  const path = mergePath(basePath, pattern, false) || "*";
  for (const each of method === "ALL" ? ALL_METHODS : [method]) router.add(each, path, item);
}

/** Registers a route, for the methods it handles or, where it is not loaded yet, for all. */
export function addRoute<State>({ root, router, basePath }: Registry<State>, place: RoutePlace<State>): void {
  const { pattern, includeLast, route: lazy } = place;
  let route = typeof lazy === "function" ? undefined : toRoute(lazy);
  const config = route ? route.config : place.config;
  const methods = route ? handledMethods(route) : config?.methods ?? "ALL";
  const item = root.at(pattern, includeLast).around([async (ctx) => {
    route ??= toRoute(await (lazy as () => Promise<Route<State>>)());
    return await renderRoute(ctx, route);
  }]);
  const path = mergePath(basePath, config?.routeOverride ?? pattern, false) || "*";
  for (const method of methods === "ALL" ? ALL_METHODS : methods) router.add(method, path, item);
}

function handledMethods<State>({ handler }: Route<State>): "ALL" | Method[] {
  return typeof handler === "object" ? Object.keys(handler) as Method[] : "ALL";
}
