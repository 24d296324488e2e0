import { Fragment, type VNode } from "preact";
import { element } from "../element.ts";
import { currentState, type RenderState } from "./render_state.ts";

/** Types of elements that can move to the head of the page. */
export const HEAD_TYPES = new Set(["title", "meta", "link", "script", "style", "base", "noscript", "template"]);

type Props = Record<string, unknown>;

/** Returns whether {@linkcode HeadElement} renders an element of {@linkcode HEAD_TYPES}. Preact renders the others. */
export function isHeadElement({ place, head }: RenderState, { type, key }: VNode<Props>): boolean {
  if (key !== undefined || place === "collect") return true;
  return place === "document" && head.values().some((collected) => collected.type === type);
}

/** Collects an element inside `Head`. In the document's head, renders its replacement if there is one. */
export function HeadElement({ original }: { original: VNode<Props> }): VNode | null {
  const state = currentState();
  const place = state?.place ?? null;
  const { type, props, key } = original;
  const vnode = element(type, key === undefined ? props : { ...props, "data-key": key });
  state?.markFinal(vnode);
  if (!state || place === null) return vnode;

  const id = identity(original);
  const replacement = state.head.get(id);
  if (place === "document") state.head.delete(id);
  else state.head.set(id, vnode);
  return place === "document" ? replacement ?? vnode : null;
}

/** Returns the identity of an element. Elements with the same identity replace each other. */
function identity({ type, props, key }: VNode<Props>): string {
  if (key !== undefined || type === "title") return String(key ?? "title");
  // A page may replace the content of a meta element and the target of a link.
  const ignored = ["children", type === "meta" ? "content" : type === "link" ? "href" : ""];
  const values = Object.keys(props).sort().filter((name) => !ignored.includes(name)).map((name) => props[name]);
  return JSON.stringify([type, ...values]);
}

/** Renders the collected elements that replaced nothing. */
export function RemainingHead(): VNode | null {
  return element(Fragment, null, [...currentState()?.head.values() ?? []]);
}
