/**
 * The server API: application, context, routes and middlewares.
 *
 * @module
 */
export { App } from "./app.ts";
export type { PageProps } from "./component.ts";
export type { FreshConfig, LayoutConfig, ResolvedFreshConfig } from "./config.ts";
export type { Context, FreshContext } from "./context.ts";
export { createDefine, type Define } from "./define.ts";
export { HttpError } from "./error.ts";
export { staticFiles } from "./static/static_files.ts";
export {
  type HandlerByMethod,
  type HandlerFn,
  type Lazy,
  type ListenOptions,
  type MaybeLazy,
  type Method,
  type Middleware,
  type MiddlewareFn,
  page,
  type PageResponse,
  type RouteConfig,
  type RouteData,
  type RouteHandler,
} from "./types.ts";
