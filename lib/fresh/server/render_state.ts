import type { ComponentType, VNode } from "preact";
import type { BuildCache, Island } from "../build_cache.ts";

/** The parts of a request that rendering uses. */
export interface RenderRequest {
  url: URL;
  basePath: string;
  build: BuildCache;
}

/** Where an element is: inside `Head`, in the document's head, or elsewhere. */
export type HeadPlace = "collect" | "document" | null;

/** The state of rendering one page. */
export class RenderState {
  /** Islands on the page, in the order of the script's imports. */
  islands = new Set<Island>();
  /** Props of each island instance. */
  islandProps: Record<string, unknown>[] = [];
  /** Server content passed to islands, and whether an island rendered it. */
  slots: { content: unknown; isRendered: boolean }[] = [];
  /** Collected head elements by identity. */
  head = new Map<string, VNode>();
  /** The vnodes being rendered that set a place. A Preact context would add a component to each element. */
  places: { vnode: VNode; place: HeadPlace }[] = [];
  /** Whether the component being called belongs to an island. */
  isInIsland = false;
  /** The vnodes of islands, and all vnodes created inside islands. */
  ownedByIsland = new Set<VNode>();
  /** Vnodes that the hooks must not replace. */
  finalVNodes = new Set<VNode>();
  seen = { html: false, head: false, body: false };
  hasScript = false;

  constructor(readonly request: RenderRequest) {}

  /** The place of the vnode being rendered. */
  get place(): HeadPlace {
    return this.places.at(-1)?.place ?? null;
  }

  /** Returns the island of a component, if it is one. */
  islandOf(type: VNode["type"]): Island | undefined {
    return this.request.build.islands.get(type as ComponentType);
  }

  /** Marks a vnode as final. */
  markFinal(vnode: VNode): VNode {
    this.finalVNodes.add(vnode);
    return vnode;
  }
}

let current: RenderState | null = null;

/** Returns the state of the page being rendered. Rendering is synchronous, so there is at most one. */
export function currentState(): RenderState | null {
  return current;
}

/** Renders with the given state as the current one. */
export function withState<T>(state: RenderState, render: () => T): T {
  current = state;
  try {
    return render();
  } finally {
    current = null;
  }
}
