import type { AnyComponent } from "preact";
import type { PageProps } from "./component.ts";
import type { HandlerByMethod, HandlerFn, Middleware, RouteHandler } from "./types.ts";

/** Functions that return their argument and infer its type. */
export interface Define<State> {
  /** Infers the type of a handler, or of handlers by method. */
  handlers<
    Data,
    Handlers extends RouteHandler<Data, State> = RouteHandler<Data, State>,
  >(handlers: Handlers): typeof handlers;

  /** Infers the type of a page. `define.page<typeof handler>` types its data. */
  page<
    // deno-lint-ignore no-explicit-any -- the type of the data is inferred below
    Handler extends RouteHandler<any, State> = never,
    Data = Handler extends HandlerFn<infer D, State> ? D
      : Handler extends HandlerByMethod<infer D, State> ? D
      : never,
  >(render: AnyComponent<PageProps<Data, State>>): typeof render;

  /** Infers the type of a middleware, or of a list of middlewares. */
  middleware<M extends Middleware<State> | Middleware<State>[]>(
    middleware: M,
  ): typeof middleware;

  /** Infers the type of a layout. */
  layout(
    render: AnyComponent<PageProps<unknown, State>>,
  ): typeof render;
}

/** Creates the `define` functions for an application's state. */
export function createDefine<State>(): Define<State> {
  return {
    handlers: (handlers) => handlers,
    page: (render) => render,
    middleware: (middleware) => middleware,
    layout: (render) => render,
  };
}
