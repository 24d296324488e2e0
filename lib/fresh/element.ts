import { type ComponentChild, h, type VNode } from "preact";

/** What can be rendered: the name of an element or any component. */
type ElementType = string | ((props: never) => unknown) | AnyClass;

type AnyClass = new (props: never) => unknown;

/** Makes a vnode whose props are not known to the compiler, as `VNode`. */
export const element = h as unknown as (
  type: ElementType,
  props: object | null,
  ...children: (ComponentChild | ComponentChild[])[]
) => VNode;
