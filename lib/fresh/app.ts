import { type BuildCache, NO_BUILD } from "./build_cache.ts";
import type { RouteComponent } from "./component.ts";
import type { FreshConfig, LayoutConfig, ResolvedFreshConfig } from "./config.ts";
import { Context } from "./context.ts";
import { HttpError, plainErrorResponse } from "./error.ts";
import { fsRoute } from "./routing/fs_routes.ts";
import { mergePath } from "./routing/pattern.ts";
import { addHandlers, addRoute, type Registration, type Registry } from "./routing/registry.ts";
import { renderRoute, toRoute } from "./routing/route.ts";
import { type RouteMatch, Router } from "./routing/router.ts";
import { Segment } from "./routing/segments.ts";
import { type AppHandler, serve } from "./serve.ts";
import type { ListenOptions, MaybeLazy, MaybeLazyMiddleware, Method, Middleware, Route, RouteConfig } from "./types.ts";

/** Key of the method that applies a build to an application. */
export const APPLY_BUILD: unique symbol = Symbol("applyBuild");

const NO_INFO = {
  remoteAddr: { transport: "tcp", hostname: "localhost", port: 1234 },
  completed: Promise.resolve(),
} as Deno.ServeHandlerInfo;

/** An application: middlewares, routes and pages, in the order in which they are added. */
export class App<State> {
  /** The resolved configuration. */
  config: ResolvedFreshConfig;
  #build: BuildCache = NO_BUILD;
  #registrations: Registration<State>[] = [];

  constructor({ basePath = "", mode = "production", trustProxy = false }: FreshConfig = {}) {
    this.config = { root: ".", basePath, mode, trustProxy };
  }

  [APPLY_BUILD](build: BuildCache): void {
    this.#build = build;
    this.config.root = build.root;
  }

  #add(registration: Registration<State>): this {
    this.#registrations.push(registration);
    return this;
  }

  #handle(method: Method | "ALL", path: string, fns: MaybeLazyMiddleware<State>[]): this {
    return this.#add((registry) => addHandlers(registry, path, { method, fns }));
  }

  /** Adds middlewares for all paths, or for a path and every path below it. */
  use(...middleware: MaybeLazyMiddleware<State>[]): this;
  use(path: string, ...middleware: MaybeLazyMiddleware<State>[]): this;
  use(first: string | MaybeLazyMiddleware<State>, ...rest: MaybeLazyMiddleware<State>[]): this {
    const [path, fns] = typeof first === "string" ? [first, rest] : ["*", [first, ...rest]];
    return this.#add(({ root }) => root.at(path, true).middlewares.push(...fns));
  }

  /** Sets the handler for requests that match no route, and for every 404 that is thrown. */
  notFound(routeOrMiddleware: Route<State> | Middleware<State>): this {
    const route = toRoute(routeOrMiddleware);
    return this.#add(({ root }) => root.notFound = (ctx) => renderRoute(ctx, route));
  }

  /** Sets the handler for errors thrown at or below a path. */
  onError(path: string, routeOrMiddleware: Route<State> | Middleware<State>): this {
    return this.#add(({ root }) => root.at(path, true).errorRoute = toRoute(routeOrMiddleware));
  }

  /** Sets the outermost component of every page. */
  appWrapper(component: RouteComponent<State>): this {
    return this.#add(({ root }) => root.app = component);
  }

  /** Sets the layout of pages at or below a path. */
  layout(path: string, component: RouteComponent<State>, config?: LayoutConfig): this {
    return this.#add(({ root }) => root.at(path, true).layout = { component, config });
  }

  /** Adds a route. A lazy one is loaded on its first request. */
  route(path: string, route: MaybeLazy<Route<State>>, config?: RouteConfig): this {
    return this.#add((registry) => addRoute(registry, { pattern: path, route, config, includeLast: true }));
  }

  /** Registers the file routes of the build at this point, optionally below a path. */
  fsRoutes(pattern = "*"): this {
    return this.#add((registry) => {
      const below = { ...registry, basePath: mergePath(registry.basePath, pattern, true) };
      for (const file of this.#build.fsRoutes) fsRoute<State>(file)(below);
    });
  }

  /** Adds handlers for GET. They also serve HEAD if nothing else does. */
  get(path: string, ...fns: MaybeLazy<Middleware<State>>[]): this {
    return this.#handle("GET", path, fns);
  }
  /** Adds handlers for POST. */
  post(path: string, ...fns: MaybeLazy<Middleware<State>>[]): this {
    return this.#handle("POST", path, fns);
  }
  /** Adds handlers for PATCH. */
  patch(path: string, ...fns: MaybeLazy<Middleware<State>>[]): this {
    return this.#handle("PATCH", path, fns);
  }
  /** Adds handlers for PUT. */
  put(path: string, ...fns: MaybeLazy<Middleware<State>>[]): this {
    return this.#handle("PUT", path, fns);
  }
  /** Adds handlers for DELETE. */
  delete(path: string, ...fns: MaybeLazy<Middleware<State>>[]): this {
    return this.#handle("DELETE", path, fns);
  }
  /** Adds handlers for HEAD. */
  head(path: string, ...fns: MaybeLazy<Middleware<State>>[]): this {
    return this.#handle("HEAD", path, fns);
  }
  /** Adds handlers for all methods. */
  all(path: string, ...fns: MaybeLazy<Middleware<State>>[]): this {
    return this.#handle("ALL", path, fns);
  }

  /** Returns the request handler. Its promise never rejects. */
  handler(): AppHandler {
    const build = this.#build;
    const { basePath } = this.config;
    const registry: Registry<State> = { root: new Segment(), router: new Router(), basePath };
    for (const register of this.#registrations) register(registry);
    const unmatched = registry.root.around([]);
    return async (req, info = NO_INFO) => {
      let ctx: Context<State> | undefined;
      let response: Response;
      try {
        const url = requestUrl(req, this.config.trustProxy);
        const method = req.method.toUpperCase() as Method;
        const match = findRoute(registry.router, method, url);
        const { pattern: route, params, item } = match;
        ctx = new Context({
          req,
          url,
          info,
          route,
          params,
          config: this.config,
          last: fallback(match, method),
          build,
        });
        response = await (item ?? unmatched)(ctx);
        if (!(response instanceof Response)) throw new Error(`Handler did not return a Response: ${response}`);
        if (method === "HEAD") response = withoutBody(response);
      } catch (error) {
        if (ctx) ctx.error = error;
        response = plainErrorResponse(error);
      }
      if (response.status < 500 || !ctx?.error) return response;
      return build.renderError?.(ctx.error, req, response) ?? response;
    };
  }

  /** Serves the application. The default port is the first free one from 8000 to 8019. */
  async listen(options: ListenOptions = {}): Promise<void> {
    await serve(this.handler(), this.config.basePath, options);
  }
}

function requestUrl(req: Request, trustProxy: boolean): URL {
  const url = new URL(req.url);
  // A redirect to a path that starts with "//host" would leave the site.
  if (url.pathname.includes("//")) url.pathname = url.pathname.replace(/\/+/g, "/");
  const protocol = trustProxy && req.headers.get("x-forwarded-proto");
  const host = trustProxy && req.headers.get("x-forwarded-host");
  if (protocol) url.protocol = `${protocol}:`;
  if (host) url.host = host;
  return url;
}

function withoutBody(response: Response): Response {
  // Without this, a file behind the body would stay open. A locked body rejects here, and its reader closes it.
  response.body?.cancel().catch(() => {});
  return new Response(null, response);
}

function findRoute<T>(router: Router<T>, method: Method, url: URL): RouteMatch<T> {
  try {
    return router.match(method, url);
  } catch (cause) {
    throw new HttpError(400, "Malformed URL", { cause });
  }
}

/** Returns what `ctx.next()` of the last handler calls: it throws 404 or 405, or lists the methods for OPTIONS. */
function fallback({ pattern, item, allowed }: RouteMatch<unknown>, method: Method): () => Promise<Response> {
  const isKnownPath = pattern !== null && item === null;
  if (!isKnownPath) return () => Promise.reject(new HttpError(404));
  if (method !== "OPTIONS") return () => Promise.reject(new HttpError(405));
  return () => Promise.resolve(new Response(null, { status: 204, headers: { Allow: allowed.join(", ") } }));
}
