import type { ComponentType, VNode } from "preact";
import type { BuildCache, Island } from "../build_cache.ts";

/** What rendering needs to know of a request. */
export interface RenderRequest {
  url: URL;
  basePath: string;
  build: BuildCache;
}

/** Where an element stands: in a `Head`, in the page's own head, elsewhere. */
export type HeadPlace = "collect" | "document" | null;

/** All that is collected while one page is rendered. */
export class RenderState {
  /** Islands of the page, in the order of its script. */
  islands = new Set<Island>();
  /** Props of each instance of an island. */
  islandProps: Record<string, unknown>[] = [];
  /** What the server put into islands, and whether they show it. */
  slots: { content: unknown; isRendered: boolean }[] = [];
  /** Elements for the head by what they replace. */
  head = new Map<string, VNode>();
  /** What changes the place of elements while it is rendered: a context of Preact would cost each of them a component. */
  places: { vnode: VNode; place: HeadPlace }[] = [];
  /** Whether the component being called is an island or part of one. */
  isInIsland = false;
  /** Islands, and vnodes made by them or by what they render. */
  ownedByIsland = new Set<VNode>();
  /** Vnodes to be rendered as they are. */
  plain = new Set<VNode>();
  seen = { html: false, head: false, body: false };
  hasScript = false;

  constructor(readonly request: RenderRequest) {}

  /** Where the vnode that is being rendered stands. */
  get place(): HeadPlace {
    return this.places.at(-1)?.place ?? null;
  }

  /** The island a component is, if it is one. */
  islandOf(type: VNode["type"]): Island | undefined {
    return this.request.build.islands.get(type as ComponentType);
  }

  /** Marks a vnode as not to be replaced any more. */
  asPlain(vnode: VNode): VNode {
    this.plain.add(vnode);
    return vnode;
  }
}

let current: RenderState | null = null;

/** The page being rendered. Rendering is synchronous: there is one at most. */
export function currentState(): RenderState | null {
  return current;
}

/** Renders with a state as the current one. */
export function withState<T>(state: RenderState, render: () => T): T {
  current = state;
  try {
    return render();
  } finally {
    current = null;
  }
}
