import type { AnyComponent } from "preact";
import type { PageProps } from "./component.ts";
import type { HandlerByMethod, HandlerFn, Middleware, RouteHandler } from "./types.ts";

/** Functions that return what they are given and infer its types. */
export interface Define<State> {
  /** Types a handler, or handlers by method. */
  handlers<
    Data,
    Handlers extends RouteHandler<Data, State> = RouteHandler<Data, State>,
  >(handlers: Handlers): typeof handlers;

  /** Types a page; `define.page<typeof handler>` gives it the handler's data. */
  page<
    // deno-lint-ignore no-explicit-any -- any data: it is inferred below
    Handler extends RouteHandler<any, State> = never,
    Data = Handler extends HandlerFn<infer D, State> ? D
      : Handler extends HandlerByMethod<infer D, State> ? D
      : never,
  >(render: AnyComponent<PageProps<Data, State>>): typeof render;

  /** Types a middleware or a list of them. */
  middleware<M extends Middleware<State> | Middleware<State>[]>(
    middleware: M,
  ): typeof middleware;

  /** Types a layout. */
  layout(
    render: AnyComponent<PageProps<unknown, State>>,
  ): typeof render;
}

/** Makes the `define` functions for an application's state. */
export function createDefine<State>(): Define<State> {
  return {
    handlers: (handlers) => handlers,
    page: (render) => render,
    middleware: (middleware) => middleware,
    layout: (render) => render,
  };
}
