import type { RouteComponent } from "./component.ts";
import type { LayoutConfig } from "./config.ts";
import type { Context } from "./context.ts";

/** The HTTP methods that a route can handle. */
export type Method = "HEAD" | "GET" | "POST" | "PATCH" | "PUT" | "DELETE" | "OPTIONS";

/** Options of `listen()`: the options of `Deno.serve` over TCP, with or without TLS. */
export type ListenOptions = Partial<Deno.ServeTcpOptions & Deno.TlsCertifiedKeyPem> & { remoteAddress?: string };

/** A function that loads a value. */
export type Lazy<T> = () => Promise<T>;

/** A value, or a function that loads it on first use. */
export type MaybeLazy<T> = T | Lazy<T>;

/** Responds to a request, or passes it on with `ctx.next()`. */
export type Middleware<State> = (ctx: Context<State>) => Response | Promise<Response>;

/** Older name of {@linkcode Middleware}. */
export type MiddlewareFn<State> = Middleware<State>;

/** A middleware, or a function that loads one when first called. */
export type MaybeLazyMiddleware<State> = (ctx: Context<State>) => Response | Promise<Response | Middleware<State>>;

/** The result of a handler that renders the page of its route. */
export interface PageResponse<T> {
  data: T;
  headers?: HeadersInit;
  status?: number;
}

/** Returns a response, or data for the page of the route. */
export interface HandlerFn<Data, State> {
  (ctx: Context<State>): Response | PageResponse<Data> | Promise<Response | PageResponse<Data>>;
}

/** One handler for each method. HEAD falls back to GET. */
export type HandlerByMethod<Data, State> = { [M in Method]?: HandlerFn<Data, State> };

/** One handler for all methods, or one for each method. */
export type RouteHandler<Data, State> = HandlerFn<Data, State> | HandlerByMethod<Data, State>;

/** The data type of a handler. */
export type RouteData<Handler extends RouteHandler<unknown, unknown>> = Handler extends
  RouteHandler<infer Data, unknown> ? Data : never;

/** Options of a route. */
export interface RouteConfig extends LayoutConfig {
  /** URL pattern. Replaces the pattern derived from the file name. */
  routeOverride?: string;
  /** Methods for which a lazy route is registered. Default: "ALL". */
  methods?: "ALL" | Method[];
}

/** A page, its handler, or both. */
export interface Route<State> {
  component?: RouteComponent<State>;
  config?: RouteConfig;
  handler?: RouteHandler<unknown, State>;
}

type PageOptions = Omit<PageResponse<unknown>, "data">;

/** Wraps data for the page of a route. Options set the status and headers of the response. */
export function page<T>(data: T, options?: PageOptions): PageResponse<T>;
export function page(): PageResponse<undefined>;
export function page<T>(data?: T, { headers, status }: PageOptions = {}): PageResponse<T | undefined> {
  return { data: data ?? undefined, headers, status };
}
