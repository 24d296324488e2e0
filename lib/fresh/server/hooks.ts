import { Fragment, options, type VNode } from "preact";
import { asset, assetSrcSet } from "../asset.ts";
import { element } from "../element.ts";
import { Head } from "../head.ts";
import { HEAD_TYPES, HeadElement, isHeadElement, RemainingHead } from "./head_element.ts";
import { IslandBoundary, Scripts } from "./islands.ts";
import { currentState, type HeadPlace, type RenderState } from "./render_state.ts";

type Props = Record<string, unknown>;
type Hook = (vnode: VNode<Props>) => void;

// Preact's hooks under their names in its builds: made, about to be rendered, being rendered, done.
const hooks = options as { vnode?: Hook; __b?: Hook; __r?: Hook; diffed?: Hook };
const { vnode: made, __b: before, __r: render, diffed } = hooks;

hooks.vnode = (vnode) => {
  const state = currentState();
  if (state?.owners.at(-1)?.isIsland) state.ownedByIsland.add(vnode);
  if (state && vnode.type === "a") markActiveLink(vnode.props, state.request.url);
  if (vnode.type === "img" || vnode.type === "source") versionAssets(vnode.props);
  made?.(vnode);
};

hooks.__b = (vnode) => {
  const state = currentState();
  if (state && !state.plain.has(vnode)) prepare(state, vnode);
  before?.(vnode);
};

hooks.__r = (vnode) => {
  const state = currentState();
  // A component that sets its own state is rendered more than once.
  if (state && vnode.type !== Fragment && state.owners.at(-1)?.vnode !== vnode) {
    const isIsland = state.ownedByIsland.has(vnode) || state.islandOf(vnode.type) !== undefined;
    state.owners.push({ vnode, isIsland });
  }
  render?.(vnode);
};

hooks.diffed = (vnode) => {
  const state = currentState();
  if (state?.owners.at(-1)?.vnode === vnode) state.owners.pop();
  if (state?.places.at(-1)?.vnode === vnode) state.places.pop();
  diffed?.(vnode);
};

/** Tells a link to the current page, or to one above it, from others. */
function markActiveLink(props: Props, current: URL): void {
  const { href } = props;
  if (typeof href !== "string" || !href.startsWith("/") || props["aria-current"] !== undefined) return;
  const [path, search] = href.split("#")[0].split("?");
  const [target, here] = [path, current.pathname].map((each) => each.replace(/(?<=.)\/$/, ""));
  const isHere = target === here && (!search || current.search === `?${search}`);
  if (isHere) Object.assign(props, { "data-current": "true", "aria-current": "page" });
  else if (target === "/" || `${here}/`.startsWith(`${target}/`)) {
    Object.assign(props, { "data-ancestor": "true", "aria-current": "true" });
  }
}

function versionAssets(props: Props): void {
  if (props["data-fresh-disable-lock"]) return;
  if (typeof props.src === "string") props.src = asset(props.src);
  if (typeof props.srcset === "string") props.srcset = assetSrcSet(props.srcset);
}

/** Where what is inside of these stands. */
const PLACES = new Map<VNode["type"], HeadPlace>([[Head, "collect"], ["head", "document"], ["body", null]]);

function prepare(state: RenderState, vnode: VNode<Props>): void {
  const { type } = vnode;
  const place = PLACES.get(type);
  if (place !== undefined) state.places.push({ vnode, place });
  if (typeof type === "function") {
    // Inside of an island, others are part of its own tree.
    if (state.islandOf(type) && !state.ownedByIsland.has(vnode)) become(vnode, IslandBoundary);
  } else if (HEAD_TYPES.has(type)) {
    if (isHeadElement(state, vnode)) become(vnode, HeadElement);
  } else if (type === "html" || type === "head" || type === "body") {
    state.seen[type] = true;
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
