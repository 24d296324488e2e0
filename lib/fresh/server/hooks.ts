import { baseHooks, hooks, type VNodeHooks } from "./base_hooks.ts";
import { Signal } from "@preact/signals";
import { Fragment, type VNode } from "preact";
import { asset, assetSrcSet } from "../static/asset.ts";
import { element } from "../element.ts";
import { Head } from "../head.ts";
import { HEAD_TYPES, HeadElement, isHeadElement, RemainingHead } from "./head_element.ts";
import { IslandBoundary, Scripts } from "./islands.ts";
import { currentState, type RenderState } from "./render_state.ts";

type Props = Record<string, unknown>;

const signalHooks: VNodeHooks = { ...hooks };

/** Skips the hooks of signals on pages without islands, where they are useless and double the rendering time. */
function previousHooks(state: RenderState | null, vnode: VNode): VNodeHooks {
  return state === null || state.islands.size > 0 || vnode instanceof Signal ? signalHooks : baseHooks;
}

hooks.vnode = (vnode: VNode<Props>) => {
  const state = currentState();
  if (state?.isInIsland) state.ownedByIsland.add(vnode);
  if (state && vnode.type === "a") markActiveLink(vnode.props, state.request.url);
  if (vnode.type === "img" || vnode.type === "source") versionAssets(vnode.props);
  signalHooks.vnode?.(vnode);
};

hooks.__b = (vnode: VNode<Props>) => {
  const state = currentState();
  // Skip fragments for speed. Most vnodes are fragments, because each compiled JSX template is one.
  if (state && vnode.type !== Fragment && !state.finalVNodes.has(vnode)) prepare(state, vnode);
  previousHooks(state, vnode).__b?.(vnode);
};

hooks.__r = (vnode) => {
  const state = currentState();
  // A component creates its vnodes before any other component is called.
  if (state && vnode.type !== Fragment) state.isInIsland = state.ownedByIsland.has(vnode);
  previousHooks(state, vnode).__r?.(vnode);
};

hooks.diffed = (vnode) => {
  const state = currentState();
  if (state) {
    state.isInIsland = false;
    if (state.places.at(-1)?.vnode === vnode) state.places.pop();
  }
  previousHooks(state, vnode).diffed?.(vnode);
};

hooks.unmount = (vnode) => previousHooks(currentState(), vnode).unmount?.(vnode);

/** Marks a link to the current page or to one of its ancestors. */
function markActiveLink(props: Props, current: URL): void {
  const { href } = props;
  if (typeof href !== "string" || !href.startsWith("/") || props["aria-current"] !== undefined) return;
  const [path, search] = href.split("#", 1)[0].split("?");
  const [target, here] = [withoutEndSlash(path), withoutEndSlash(current.pathname)];
  const isHere = target === here && (!search || current.search === `?${search}`);
  if (isHere) Object.assign(props, { "data-current": "true", "aria-current": "page" });
  else if (target === "/" || target === here || here.startsWith(`${target}/`)) {
    Object.assign(props, { "data-ancestor": "true", "aria-current": "true" });
  }
}

function withoutEndSlash(path: string): string {
  return path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
}

function versionAssets(props: Props): void {
  if (props["data-fresh-disable-lock"]) return;
  if (typeof props.src === "string") props.src = asset(props.src);
  if (typeof props.srcset === "string") props.srcset = assetSrcSet(props.srcset);
}

function prepare(state: RenderState, vnode: VNode<Props>): void {
  const { type } = vnode;
  if (typeof type === "function") {
    if (type === Head) state.places.push({ vnode, place: "collect" });
    // An island inside another island belongs to the outer one and gets no boundary.
    else if (state.islandOf(type) && !state.ownedByIsland.has(vnode)) replaceWith(vnode, IslandBoundary);
  } else if (HEAD_TYPES.has(type)) {
    if (isHeadElement(state, vnode)) replaceWith(vnode, HeadElement);
  } else if (type === "html" || type === "head" || type === "body") {
    state.seen[type] = true;
    if (type !== "html") state.places.push({ vnode, place: type === "head" ? "document" : null });
    appendCollected(vnode);
  }
}

/** Replaces a vnode with a component that receives it as `original`. */
function replaceWith(vnode: VNode<Props>, type: (props: { original: VNode<Props> }) => VNode | null): void {
  const { type: originalType, props, key } = vnode;
  Object.assign(vnode, { type, props: { original: { type: originalType, props, key } } });
}

/** Marks vnodes that are complete: a constant vnode is rendered many times. A WeakSet would slow garbage collection. */
const COMPLETED = Symbol("completed");

/** Appends the remaining head elements to a head element, or the scripts to a body element. */
function appendCollected(vnode: VNode<Props> & { [COMPLETED]?: true }): void {
  if (vnode.type === "html" || vnode[COMPLETED]) return;
  vnode[COMPLETED] = true;
  const { children } = vnode.props;
  const rest = element(vnode.type === "body" ? Scripts : RemainingHead, null);
  vnode.props = { ...vnode.props, children: element(Fragment, null, children as VNode, rest) };
}
