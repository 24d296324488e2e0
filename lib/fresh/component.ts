import { type AnyComponent, type FunctionComponent, type RenderableProps, type VNode } from "preact";
import { element } from "./element.ts";
import type { ResolvedFreshConfig } from "./config.ts";

/** Props of pages, layouts and the app wrapper. */
export interface PageProps<Data = unknown, State = unknown> {
  config: ResolvedFreshConfig;
  url: URL;
  req: Request;
  params: Record<string, string>;
  info: Deno.ServeHandlerInfo;
  state: State;
  /** The content of a layout or app wrapper. */
  Component: FunctionComponent;
  error: unknown | null;
  route: string | null;
  data: Data;
}

/** An async component. The server awaits it, and it may return a Response instead of a vnode. */
export type AsyncAnyComponent<P> = {
  // deno-lint-ignore no-explicit-any -- preact's own type of the legacy context
  (props: RenderableProps<P>, context?: any): Promise<VNode | Response | null>;
  displayName?: string;
  defaultProps?: Partial<P>;
};

/** The component of a route, layout or app wrapper, sync or async. */
export type RouteComponent<State> =
  | AsyncAnyComponent<PageProps<unknown, State>>
  | AnyComponent<PageProps<unknown, State>>;

/** Creates the vnode of a component. Awaits an async component, which may return a Response. */
export async function renderComponent<State>(
  component: RouteComponent<State>,
  ctx: Omit<PageProps<unknown, State>, "data" | "Component">,
  own: Pick<PageProps, "data" | "Component">,
): Promise<VNode | Response | null> {
  const { config, error, info, params, req, state, url, route } = ctx;
  const { data, Component } = own;
  const props: PageProps<unknown, State> = { config, error, info, params, req, state, url, route, data, Component };
  if (isAsync(component)) return await component(props);
  return element(component, props);
}

function isAsync<State>(of: RouteComponent<State>): of is AsyncAnyComponent<PageProps<unknown, State>> {
  return of.constructor.name === "AsyncFunction";
}
