import { Fragment, type FunctionComponent, isValidElement, type VNode } from "preact";
import type { BuildCache } from "./build_cache.ts";
import { renderComponent, type RouteComponent } from "./component.ts";
import type { LayoutConfig, ResolvedFreshConfig } from "./config.ts";
import { element } from "./element.ts";
import { renderDocument } from "./server/document.ts";

/** Key of the current layouts and app wrapper. Internal to the framework. */
export const UI: unique symbol = Symbol("ui");
/** Key of the build that serves the request. Internal to the framework. */
export const BUILD: unique symbol = Symbol("build");

/** Key of what `next` calls. Internal to the framework. */
export const REST: unique symbol = Symbol("rest");
/** Key of what `next` of the last handler calls. Internal to the framework. */
export const LAST: unique symbol = Symbol("last");
/** Key of the result of the latest call of `next`. Internal to the framework. */
export const PASSED_ON: unique symbol = Symbol("passedOn");
/** Key of the function that keeps what a middleware threw. Internal to the framework. */
export const KEEP_ERROR: unique symbol = Symbol("keepError");

/** The app wrapper and the layouts that currently apply, outermost first. */
export interface UiState<State> {
  app: RouteComponent<State> | null;
  layouts: RouteComponent<State>[];
}

/** Everything needed to create a context. */
export type ContextInit =
  & Pick<Context<unknown>, "req" | "url" | "info" | "route" | "params" | "config">
  & { build: BuildCache; last(): Promise<Response> };

/** One request, as middlewares and handlers see it. */
export class Context<State> {
  /** The resolved configuration. */
  readonly config: ResolvedFreshConfig;
  /** The parsed URL. Repeated slashes in its path are merged. */
  readonly url: URL;
  /** The request. */
  req: Request;
  /** The pattern that matched the path, or null. */
  readonly route: string | null;
  /** The pattern's parameters, decoded. */
  readonly params: Record<string, string>;
  /** State that all handlers of the request share. */
  readonly state: State = {} as State;
  /** The data for the page. */
  data: unknown = undefined;
  /** The error that was thrown, or null. Error pages show it. */
  error: unknown | null = null;
  /** The second argument passed to the request handler. */
  readonly info: Deno.ServeHandlerInfo;
  /** The content of a layout or app wrapper. */
  Component!: FunctionComponent;
  readonly [UI]: UiState<State> = { app: null, layouts: [] };
  readonly [BUILD]: BuildCache;
  [REST]: (ctx: Context<State>) => Promise<Response>;
  readonly [LAST]: () => Promise<Response>;
  [PASSED_ON]: Promise<Response> | undefined = undefined;
  readonly [KEEP_ERROR] = (error: unknown): void => {
    this.error = error;
  };

  constructor(init: ContextInit) {
    this.config = init.config;
    this.url = init.url;
    this.req = init.req;
    this.route = init.route;
    this.params = init.params;
    this.info = init.info;
    this[REST] = this[LAST] = init.last;
    this[BUILD] = init.build;
  }

  /**
   * Calls the next middleware or handler. A method, because a function for each middleware of each request would make
   * garbage collection take twice as long.
   */
  next(): Promise<Response> {
    return this[PASSED_ON] = this[REST](this);
  }

  /** Redirects. Merges repeated slashes, because browsers read the start of `//path` as a host name. */
  redirect(pathOrUrl: string, status = 302): Response {
    let location = pathOrUrl;
    if (pathOrUrl.startsWith("/")) {
      const end = pathOrUrl.search(/[?#]/);
      const path = end === -1 ? pathOrUrl : pathOrUrl.slice(0, end);
      location = path.replaceAll(/\/+/g, "/") + pathOrUrl.slice(path.length);
    }
    return new Response(null, { status, headers: { location } });
  }

  /** Renders JSX inside the current layouts and app wrapper. */
  async render(vnode: VNode | null, init: ResponseInit = {}, config: LayoutConfig = {}): Promise<Response> {
    if (vnode !== null && !isValidElement(vnode)) throw new Error("Non-JSX element passed to: ctx.render()");
    const layouts = config.skipInheritedLayouts ? [] : this[UI].layouts;
    let page: VNode | null = vnode;
    for (const component of layouts.toReversed()) {
      const result = await this.#renderAround(component, { vnode: page });
      if (result instanceof Response) return result;
      page = result;
    }
    const content = { vnode: page ?? element(Fragment, null) };
    const wrapper = config.skipAppWrapper ? null : this[UI].app;
    const app = wrapper && await this.#renderAround(wrapper, content);
    if (app instanceof Response) return app;

    const request = { url: this.url, basePath: this.config.basePath, build: this[BUILD] };
    const { html, preload } = renderDocument(request, { content, app });
    const response = new Response(`<!DOCTYPE html>${html}`, init);
    response.headers.set("Content-Type", "text/html; charset=utf-8");
    if (preload !== "") response.headers.append("Link", preload);
    return response;
  }

  #renderAround(component: RouteComponent<State>, content: { vnode: VNode | null }): Promise<VNode | Response | null> {
    this.Component = () => content.vnode;
    return renderComponent(component, this, { data: null, Component: this.Component });
  }

  /** Responds with text. */
  text(content: string, init?: ResponseInit): Response {
    return new Response(content, init);
  }

  /** Responds with HTML. Does not escape it. */
  html(content: string, init?: ResponseInit): Response {
    const response = new Response(content, init);
    response.headers.set("Content-Type", "text/html; charset=utf-8");
    return response;
  }

  /** Responds with JSON. */
  json(content: unknown, init?: ResponseInit): Response {
    return Response.json(content, init);
  }
}

/** Older name of {@linkcode Context}. */
export type FreshContext<State = unknown> = Context<State>;
