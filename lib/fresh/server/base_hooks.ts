import { options, type VNode } from "preact";
import "preact/hooks";

/** What Preact calls for each vnode, under its names in Preact's builds. */
export interface VNodeHooks {
  /** It is made. */
  vnode?(vnode: VNode): void;
  /** It is about to be rendered. */
  __b?(vnode: VNode): void;
  /** Its component is about to be called. */
  __r?(vnode: VNode): void;
  /** It and all in it are rendered. */
  diffed?(vnode: VNode): void;
  /** It is done with, which on the server is at once. */
  unmount?(vnode: VNode): void;
}

/** The hooks in force; whoever adds one calls the one before. */
export const hooks = options as VNodeHooks;

/** Those of Preact alone: this module is to be evaluated before the one of the signals. */
export const baseHooks: VNodeHooks = { ...hooks };
