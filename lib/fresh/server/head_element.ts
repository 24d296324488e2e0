import { Fragment, type VNode } from "preact";
import { element } from "../element.ts";
import { currentState, type RenderState } from "./render_state.ts";

/** Elements that may move to the head of the page. */
export const HEAD_TYPES = new Set(["title", "meta", "link", "script", "style", "base", "noscript", "template"]);

type Props = Record<string, unknown>;

/** Whether an element of {@linkcode HEAD_TYPES} is collected, replaced or keyed; the others are what they are. */
export function isHeadElement({ place, head }: RenderState, { type, key }: VNode<Props>): boolean {
  if (key !== undefined || place === "collect") return true;
  return place === "document" && head.values().some((collected) => collected.type === type);
}

/** Collects an element of a `Head`, or shows the one that replaces it. */
export function HeadElement({ original }: { original: VNode<Props> }): VNode | null {
  const state = currentState();
  const place = state?.place ?? null;
  const { type, props, key } = original;
  const vnode = element(type, key === undefined ? props : { ...props, "data-key": key });
  state?.asPlain(vnode);
  if (!state || place === null) return vnode;

  const id = identity(original);
  const replacement = state.head.get(id);
  if (place === "document") state.head.delete(id);
  else state.head.set(id, vnode);
  return place === "document" ? replacement ?? vnode : null;
}

/** What elements have in common when one replaces the other. */
function identity({ type, props, key }: VNode<Props>): string {
  if (key !== undefined || type === "title") return String(key ?? "title");
  // Content of a meta and target of a link are what a page wants to replace.
  const ignored = ["children", type === "meta" ? "content" : type === "link" ? "href" : ""];
  const values = Object.keys(props).sort().filter((name) => !ignored.includes(name)).map((name) => props[name]);
  return JSON.stringify([type, ...values]);
}

/** What was collected and replaces nothing. */
export function RemainingHead(): VNode | null {
  return element(Fragment, null, [...currentState()?.head.values() ?? []]);
}
