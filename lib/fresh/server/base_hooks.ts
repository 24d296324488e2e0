import { options, type VNode } from "preact";
import "preact/hooks";

/** The hooks that Preact calls for each vnode. Some have mangled names in Preact's builds. */
export interface VNodeHooks {
  /** Runs when the vnode was created. */
  vnode?(vnode: VNode): void;
  /** Runs before the vnode is rendered. */
  __b?(vnode: VNode): void;
  /** Runs before the vnode's component is called. */
  __r?(vnode: VNode): void;
  /** Runs after the vnode and its children were rendered. */
  diffed?(vnode: VNode): void;
  /** Runs when the vnode is discarded. On the server, that is right after rendering. */
  unmount?(vnode: VNode): void;
}

/** The current hooks. A new hook has to call the hook that it replaces. */
export const hooks = options as VNodeHooks;

/** Preact's own hooks. Import this module before @preact/signals, which adds its own. */
export const baseHooks: VNodeHooks = { ...hooks };
