import { Fragment, type VNode } from "preact";
import { jsxTemplate } from "preact/jsx-runtime";
import { renderToString } from "preact-render-to-string";
import { element } from "../element.ts";
import "./hooks.ts";
import { type RenderRequest, RenderState, withState } from "./render_state.ts";

/** A page inside its layouts, and the app wrapper. */
export interface DocumentContent {
  /** The page. The app wrapper renders it as its content. */
  content: { vnode: VNode | null };
  app: VNode | null;
}

/** Renders a page. `preload` is the value of a Link header that preloads the page's scripts, or "". */
export function renderDocument(
  request: RenderRequest,
  { content, app }: DocumentContent,
): { html: string; preload: string } {
  const state = new RenderState(request);
  const html = withState(state, () => {
    // Render the page first, because it collects elements for the head of the app wrapper.
    content.vnode = asVNode(renderToString(content.vnode ?? element(Fragment, null)));
    return complete(renderToString(app ?? content.vnode), state);
  });
  return { html, preload: preloadHeader(state) };
}

/** Adds the html, head and body elements that the page lacks. */
function complete(rendered: string, state: RenderState): string {
  const { html, head, body } = state.seen;
  if (html && head && body) return rendered;
  let vnode = asVNode(rendered);
  if (!body) vnode = element("body", null, vnode);
  if (!head) vnode = element(Fragment, null, element("head", null, element("meta", { charset: "utf-8" })), vnode);
  return renderToString(html ? vnode : element("html", null, vnode));
}

function asVNode(html: string): VNode {
  return jsxTemplate([html]);
}

function preloadHeader({ islands, request: { basePath, build } }: RenderState): string {
  if (islands.size === 0) return "";
  const files = new Set([build.clientEntry, ...Array.from(islands, (island) => island.file)]);
  return Array.from(files, (file) => `<${encodeURI(basePath + file)}>; rel="modulepreload"; as="script"`).join(", ");
}
