import { mergePath } from "./pattern.ts";
import { renderRoute, toRoute } from "./route.ts";
import type { Router } from "./router.ts";
import type { Segment } from "./segments.ts";
import type { MaybeLazy, MaybeLazyMiddleware, Method, Middleware, Route, RouteConfig } from "../types.ts";

const ALL_METHODS: Method[] = ["GET", "DELETE", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"];

/** Holds the registered middlewares and routes of an application. */
export interface Registry<State> {
  root: Segment<State>;
  router: Router<Middleware<State>>;
  basePath: string;
}

/** Registers one middleware or route. An application is a list of registrations, applied in order. */
export type Registration<State> = (registry: Registry<State>) => void;

/** A route and its place in the application. */
export interface RoutePlace<State> {
  pattern: string;
  route: MaybeLazy<Route<State>>;
  /** The config of a lazy route, which is needed before the route is loaded. */
  config?: RouteConfig;
  /** Whether the layouts and middlewares of the pattern's last segment apply. */
  includeLast: boolean;
}

/** Registers handlers for one method or for all methods. */
export function addHandlers<State>(
  { root, router, basePath }: Registry<State>,
  pattern: string,
  { method, fns }: { method: Method | "ALL"; fns: MaybeLazyMiddleware<State>[] },
): void {
  const item = root.at(pattern, true).around(fns);
  const path = mergePath(basePath, pattern, false) || "*";
  for (const each of method === "ALL" ? ALL_METHODS : [method]) router.add(each, path, item);
}

/** Registers a route for the methods that it handles. A lazy route is registered for all methods by default. */
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
