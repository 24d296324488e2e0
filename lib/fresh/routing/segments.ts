import type { RouteComponent } from "../component.ts";
import type { LayoutConfig } from "../config.ts";
import { type Context, KEEP_ERROR, LAST, PASSED_ON, REST, UI } from "../context.ts";
import { HttpError } from "../error.ts";
import { patternToSegments } from "./pattern.ts";
import { renderRoute } from "./route.ts";
import type { MaybeLazyMiddleware, Middleware, Route } from "../types.ts";

/** A path segment, and what applies at and below it. Only the root has an app wrapper and a notFound handler. */
export class Segment<State> {
  middlewares: MaybeLazyMiddleware<State>[] = [];
  layout?: { component: RouteComponent<State>; config?: LayoutConfig };
  errorRoute?: Route<State>;
  notFound?: Middleware<State>;
  app?: RouteComponent<State>;
  #children = new Map<string, Segment<State>>();

  constructor(readonly parent?: Segment<State>) {}

  /** Returns the segment of a pattern. Creates missing segments. */
  at(pattern: string, includeLast: boolean): Segment<State> {
    return patternToSegments(pattern, includeLast).reduce<Segment<State>>((segment, name) => {
      const child = segment.#children.get(name) ?? new Segment(segment);
      segment.#children.set(name, child);
      return child;
    }, this);
  }

  /** Wraps handlers in everything that applies to this segment, outermost first. */
  around(handlers: MaybeLazyMiddleware<State>[]): Middleware<State> {
    const path: Segment<State>[] = [this];
    while (path[0].parent) path.unshift(path[0].parent);
    return compose([...path.flatMap((each) => [segmentMiddleware(each, path[0]), ...each.middlewares]), ...handlers]);
  }
}

/**
 * Sets the layout and the app wrapper of a segment, and renders its errors. It runs before the segment's own
 * middlewares, so these do not see the response of an error page.
 */
function segmentMiddleware<State>(segment: Segment<State>, root: Segment<State>): Middleware<State> {
  // A later registration does not affect routes that exist already. Only notFound is read on each request.
  const { app, layout, errorRoute } = segment;
  return async (ctx) => {
    const ui = ctx[UI];
    const { app: outerApp, layouts: outerLayouts } = ui;
    if (app) ui.app = app;
    if (layout) {
      if (layout.config?.skipAppWrapper) ui.app = null;
      ui.layouts = [...layout.config?.skipInheritedLayouts ? [] : outerLayouts, layout.component];
    }
    try {
      return await ctx.next();
    } catch (error) {
      const status = error instanceof HttpError ? error.status : 500;
      if (root.notFound && status === 404) return await root.notFound(ctx);
      if (errorRoute) return await renderRoute(ctx, errorRoute, status);
      throw error;
    } finally {
      // An outer error page must not be rendered in the layout of this segment.
      ui.app = outerApp;
      ui.layouts = outerLayouts;
    }
  };
}

/** Runs handlers one after the other. After the last one, `ctx.next()` calls what it would have called before. */
function compose<State>(handlers: MaybeLazyMiddleware<State>[]): Middleware<State> {
  return handlers.reduceRight<Rest<State> | null>((rest, first) => link(first, rest), null) ?? ((ctx) => ctx.next());
}

type Rest<State> = (ctx: Context<State>) => Promise<Response>;

/**
 * A middleware that has returned a response once is not lazy. From then on its promise is the result, not awaited here.
 */
function link<State>(first: MaybeLazyMiddleware<State>, rest: Rest<State> | null): Rest<State> {
  let middleware = first;
  let isLoaded = false;
  const settle = async (ctx: Context<State>, result: ReturnType<MaybeLazyMiddleware<State>>) => {
    try {
      const settled = await result;
      isLoaded = true;
      if (typeof settled !== "function") return settled;
      middleware = settled;
      return await settled(ctx);
    } catch (error) {
      ctx.error = error;
      throw error;
    }
  };
  return (ctx) => {
    ctx[REST] = rest ?? ctx[LAST];
    try {
      const result = middleware(ctx);
      if (!isLoaded || !(result instanceof Promise)) return settle(ctx, result);
      // A middleware that only passes the request on has no error of its own, and costs nothing more.
      if (result === ctx[PASSED_ON]) return result as Promise<Response>;
      // Runs before the middleware outside, which may catch the error and read it in the context.
      result.then(undefined, ctx[KEEP_ERROR]);
      return result as Promise<Response>;
    } catch (error) {
      ctx.error = error;
      return Promise.reject(error);
    }
  };
}
