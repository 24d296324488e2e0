import { baseHooks, hooks, type VNodeHooks } from "./base_hooks.ts";
import { Signal } from "@preact/signals";
import { Fragment, type VNode } from "preact";
import { asset, assetSrcSet } from "../asset.ts";
import { element } from "../element.ts";
import { Head } from "../head.ts";
import { HEAD_TYPES, HeadElement, isHeadElement, RemainingHead } from "./head_element.ts";
import { IslandBoundary, Scripts } from "./islands.ts";
import { currentState, type RenderState } from "./render_state.ts";

type Props = Record<string, unknown>;

const signalHooks: VNodeHooks = { ...hooks };

/** Signals make an effect of each component, which only islands need, and cost a page without them as much again. */
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
  // Most of a page are fragments: each template of compiled JSX is one.
  if (state && vnode.type !== Fragment && !state.plain.has(vnode)) prepare(state, vnode);
  previousHooks(state, vnode).__b?.(vnode);
};

hooks.__r = (vnode) => {
  const state = currentState();
  // What a component makes it makes before anything else is rendered.
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

/** Tells a link to the current page, or to one above it, from others. */
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
    // Inside of an island, others are part of its own tree.
    else if (state.islandOf(type) && !state.ownedByIsland.has(vnode)) become(vnode, IslandBoundary);
  } else if (HEAD_TYPES.has(type)) {
    if (isHeadElement(state, vnode)) become(vnode, HeadElement);
  } else if (type === "html" || type === "head" || type === "body") {
    state.seen[type] = true;
    if (type !== "html") state.places.push({ vnode, place: type === "head" ? "document" : null });
    complete(vnode);
  }
}

/** Puts a component in the place of a vnode, which it gets as `original`. */
function become(vnode: VNode<Props>, type: (props: { original: VNode<Props> }) => VNode | null): void {
  const { type: originalType, props, key } = vnode;
  Object.assign(vnode, { type, props: { original: { type: originalType, props, key } } });
}

/** Marks a vnode: it may be a constant that is rendered again for other requests. A WeakSet keeps collectors busy. */
const COMPLETED = Symbol("completed");

function complete(vnode: VNode<Props> & { [COMPLETED]?: true }): void {
  if (vnode.type === "html" || vnode[COMPLETED]) return;
  vnode[COMPLETED] = true;
  const { children } = vnode.props;
  const rest = element(vnode.type === "body" ? Scripts : RemainingHead, null);
  vnode.props = { ...vnode.props, children: element(Fragment, null, children as VNode, rest) };
}
