import { type ComponentChild, h, type VNode } from "preact";

/** The name of an element, or any component. */
type ElementType = string | ((props: never) => unknown) | AnyClass;

type AnyClass = new (props: never) => unknown;

/** Creates a vnode without type-checking its props. */
export const element = h as unknown as (
  type: ElementType,
  props: object | null,
  ...children: (ComponentChild | ComponentChild[])[]
) => VNode;
