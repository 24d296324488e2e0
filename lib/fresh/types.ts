import type { RouteComponent } from "./component.ts";
import type { LayoutConfig } from "./config.ts";
import type { Context } from "./context.ts";

/** The HTTP methods a route can answer. */
export type Method = "HEAD" | "GET" | "POST" | "PATCH" | "PUT" | "DELETE" | "OPTIONS";

/** Options of `listen()`: those of `Deno.serve` over TCP, with or without TLS. */
export type ListenOptions = Partial<Deno.ServeTcpOptions & Deno.TlsCertifiedKeyPem> & { remoteAddress?: string };

/** A value loaded on first use. */
export type Lazy<T> = () => Promise<T>;

/** A value, or a function that loads it. */
export type MaybeLazy<T> = T | Lazy<T>;

/** Answers a request, or passes it on with `ctx.next()`. */
export type Middleware<State> = (ctx: Context<State>) => Response | Promise<Response>;

/** The older name of {@linkcode Middleware}. */
export type MiddlewareFn<State> = Middleware<State>;

/** A middleware, or a function that loads one on its first call. */
export type MaybeLazyMiddleware<State> = (ctx: Context<State>) => Response | Promise<Response | Middleware<State>>;

/** What a handler returns to have its page rendered. */
export interface PageResponse<T> {
  data: T;
  headers?: HeadersInit;
  status?: number;
}

/** Answers a request itself, or hands data to the page of its route. */
export interface HandlerFn<Data, State> {
  (ctx: Context<State>): Response | PageResponse<Data> | Promise<Response | PageResponse<Data>>;
}

/** One handler for each method. HEAD falls back to GET. */
export type HandlerByMethod<Data, State> = { [M in Method]?: HandlerFn<Data, State> };

/** One function for all methods, or one for each. */
export type RouteHandler<Data, State> = HandlerFn<Data, State> | HandlerByMethod<Data, State>;

/** The data type of a handler. */
export type RouteData<Handler extends RouteHandler<unknown, unknown>> = Handler extends
  RouteHandler<infer Data, unknown> ? Data : never;

/** How a route is matched and rendered. */
export interface RouteConfig extends LayoutConfig {
  /** URL pattern that replaces the one derived from the file's name. */
  routeOverride?: string;
  /** Methods a lazily loaded route is registered for; default "ALL". */
  methods?: "ALL" | Method[];
}

/** A page, its handler, or both. */
export interface Route<State> {
  component?: RouteComponent<State>;
  config?: RouteConfig;
  handler?: RouteHandler<unknown, State>;
}

type PageOptions = Omit<PageResponse<unknown>, "data">;

/** Wraps data for the page of a route, with status and headers of the response. */
export function page<T>(data: T, options?: PageOptions): PageResponse<T>;
export function page(): PageResponse<undefined>;
export function page<T>(data?: T, { headers, status }: PageOptions = {}): PageResponse<T | undefined> {
  return { data: data ?? undefined, headers, status };
}
