import { type ComponentChildren, Fragment, isValidElement, toChildArray, type VNode } from "preact";
import { useEffect } from "preact/hooks";
import { element } from "./element.ts";

/** Props of {@linkcode Head}. */
export interface HeadProps {
  children?: ComponentChildren;
}

/** Adds its children to the head of the page. A child replaces an element that has the same key, or the same name. */
export function Head({ children }: HeadProps): VNode | null {
  useEffect(() => toChildArray(children).forEach(updateHead), [children]);
  if (typeof document !== "undefined") return null;
  return element(Fragment, null, children as VNode);
}

function updateHead(child: unknown): void {
  if (!isValidElement(child) || typeof child.type !== "string") return;
  const { children, ...attributes }: Record<string, unknown> = child.props;
  const identifiers = { "data-key": child.key, id: attributes.id, name: attributes.name, rel: attributes.rel };
  const isReplaceable = (found: Element) =>
    child.type === "title" ||
    Object.entries(identifiers).some(([name, value]) => value && found.getAttribute(name) === String(value));
  const target = [...document.head.querySelectorAll(child.type)].find(isReplaceable) ??
    document.head.appendChild(document.createElement(child.type));
  const text = toChildArray(children as ComponentChildren).join("");
  if (text !== "") target.textContent = text;
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) target.removeAttribute(name);
    else target.setAttribute(name, value === true ? "" : String(value));
  }
}
