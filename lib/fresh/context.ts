import { Fragment, type FunctionComponent, isValidElement, type VNode } from "preact";
import type { BuildCache } from "./build_cache.ts";
import { renderComponent, type RouteComponent } from "./component.ts";
import type { LayoutConfig, ResolvedFreshConfig } from "./config.ts";
import { element } from "./element.ts";
import { renderDocument } from "./server/document.ts";

/** Key of what only the framework reads: layouts and wrapper in force. */
export const UI: unique symbol = Symbol("ui");
/** Key of the build output that serves the request. */
export const BUILD: unique symbol = Symbol("build");

/** The wrapper and the layouts that apply at a point of the request. */
export interface UiState<State> {
  app: RouteComponent<State> | null;
  layouts: RouteComponent<State>[];
}

/** All of a request before its context is made. */
export type ContextInit =
  & Pick<Context<unknown>, "req" | "url" | "info" | "route" | "params" | "config" | "next">
  & { build: BuildCache };

/** One request on its way through middlewares and handler. */
export class Context<State> {
  /** The resolved configuration. */
  readonly config: ResolvedFreshConfig;
  /** The parsed URL; repeated slashes of its path are one. */
  readonly url: URL;
  /** The request. */
  req: Request;
  /** The pattern that matched, or null. */
  readonly route: string | null;
  /** Decoded parameters of the pattern. */
  readonly params: Record<string, string>;
  /** Shared by all middlewares of the request. */
  readonly state: State = {} as State;
  /** Data of the page. */
  data: unknown = undefined;
  /** The error that was thrown, for error pages. */
  error: unknown | null = null;
  /** The second argument of the handler, as it came. */
  readonly info: Deno.ServeHandlerInfo;
  /** In a layout or app wrapper: what it surrounds. */
  Component!: FunctionComponent;
  /** Calls what comes next. */
  next: () => Promise<Response>;
  readonly [UI]: UiState<State> = { app: null, layouts: [] };
  readonly [BUILD]: BuildCache;

  constructor(init: ContextInit) {
    this.config = init.config;
    this.url = init.url;
    this.req = init.req;
    this.route = init.route;
    this.params = init.params;
    this.info = init.info;
    this.next = init.next;
    this[BUILD] = init.build;
  }

  /** Redirects. A path that starts with two slashes is another host to a browser, so repeated slashes become one. */
  redirect(pathOrUrl: string, status = 302): Response {
    let location = pathOrUrl;
    if (pathOrUrl.startsWith("/")) {
      const end = pathOrUrl.search(/[?#]/);
      const path = end === -1 ? pathOrUrl : pathOrUrl.slice(0, end);
      location = path.replaceAll(/\/+/g, "/") + pathOrUrl.slice(path.length);
    }
    return new Response(null, { status, headers: { location } });
  }

  /** Renders JSX inside the layouts and the app wrapper in force. */
  async render(vnode: VNode | null, init: ResponseInit = {}, config: LayoutConfig = {}): Promise<Response> {
    if (vnode !== null && !isValidElement(vnode)) throw new Error("Non-JSX element passed to: ctx.render()");
    const layouts = config.skipInheritedLayouts ? [] : this[UI].layouts;
    let page: VNode | null = vnode;
    for (const component of layouts.toReversed()) {
      const result = await this.#surround(component, { vnode: page });
      if (result instanceof Response) return result;
      page = result;
    }
    const content = { vnode: page ?? element(Fragment, null) };
    const wrapper = config.skipAppWrapper ? null : this[UI].app;
    const app = wrapper && await this.#surround(wrapper, content);
    if (app instanceof Response) return app;

    const request = { url: this.url, basePath: this.config.basePath, build: this[BUILD] };
    const { html, preload } = renderDocument(request, { content, app });
    const response = new Response(`<!DOCTYPE html>${html}`, init);
    response.headers.set("Content-Type", "text/html; charset=utf-8");
    if (preload !== "") response.headers.append("Link", preload);
    return response;
  }

  #surround(component: RouteComponent<State>, content: { vnode: VNode | null }): Promise<VNode | Response | null> {
    this.Component = () => content.vnode;
    return renderComponent(component, this, { data: null, Component: this.Component });
  }

  /** Answers with text. */
  text(content: string, init?: ResponseInit): Response {
    return new Response(content, init);
  }

  /** Answers with HTML as it is given. */
  html(content: string, init?: ResponseInit): Response {
    const response = new Response(content, init);
    response.headers.set("Content-Type", "text/html; charset=utf-8");
    return response;
  }

  /** Answers with JSON. */
  json(content: unknown, init?: ResponseInit): Response {
    return Response.json(content, init);
  }
}

/** The older name of {@linkcode Context}. */
export type FreshContext<State = unknown> = Context<State>;
