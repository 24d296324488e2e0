import { renderComponent } from "../component.ts";
import { type Context, UI } from "../context.ts";
import { HttpError } from "../error.ts";
import type { HandlerFn, Method, Middleware, Route } from "../types.ts";

/** Converts a middleware to a route, and adds the default handlers to a route. */
export function toRoute<State>(routeOrMiddleware: Route<State> | Middleware<State>): Route<State> {
  if (typeof routeOrMiddleware === "function") return { handler: routeOrMiddleware };
  const { handler, component } = routeOrMiddleware;
  if (handler === undefined) return { ...routeOrMiddleware, handler: component ? renderEmpty : throwNotFound };
  if (typeof handler === "function" || !component || handler.GET) return routeOrMiddleware;
  return { ...routeOrMiddleware, handler: { ...handler, GET: renderEmpty } };
}

const renderEmpty = () => ({ data: {} });

function throwNotFound(): never {
  throw new HttpError(404);
}

/** Runs the handler of a route, and renders the page with the data it returns. */
export async function renderRoute<State>(ctx: Context<State>, route: Route<State>, status = 200): Promise<Response> {
  if (route.config?.skipAppWrapper) ctx[UI].app = null;
  if (route.config?.skipInheritedLayouts) ctx[UI].layouts = [];

  const handler = findHandler(route, ctx.req.method.toUpperCase() as Method);
  const result = await (handler ? handler(ctx) : ctx.next());
  if (result instanceof Response) return result;

  const own = { data: result.data, Component: () => null };
  const vnode = route.component ? await renderComponent(route.component, ctx, own) : null;
  if (vnode instanceof Response) return vnode;
  return ctx.render(vnode, { headers: result.headers, status: result.status ?? status });
}

function findHandler<State>({ handler }: Route<State>, method: Method): HandlerFn<unknown, State> | undefined {
  if (typeof handler !== "object") return handler;
  if (Object.hasOwn(handler, method)) return handler[method];
  return method === "HEAD" ? handler.GET : undefined;
}
