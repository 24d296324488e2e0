import { type ComponentChildren, Fragment, isValidElement, toChildArray, type VNode } from "preact";
import { useEffect } from "preact/hooks";
import { element } from "./element.ts";

/** Props of {@linkcode Head}. */
export interface HeadProps {
  children?: ComponentChildren;
}

/** Puts its elements into the head of the page. One with the same key, or of the same kind and name, is replaced. */
export function Head({ children }: HeadProps): VNode | null {
  useEffect(() => toChildArray(children).forEach(updateHead), [children]);
  if (typeof document !== "undefined") return null;
  return element(Fragment, null, children as VNode);
}

function updateHead(child: unknown): void {
  if (!isValidElement(child) || typeof child.type !== "string") return;
  const { children, ...attributes }: Record<string, unknown> = child.props;
  const by = { "data-key": child.key, id: attributes.id, name: attributes.name, rel: attributes.rel };
  const isSame = (found: Element) =>
    child.type === "title" ||
    Object.entries(by).some(([name, value]) => value && found.getAttribute(name) === String(value));
  const target = [...document.head.querySelectorAll(child.type)].find(isSame) ??
    document.head.appendChild(document.createElement(child.type));
  const text = toChildArray(children as ComponentChildren).join("");
  if (text !== "") target.textContent = text;
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) target.removeAttribute(name);
    else target.setAttribute(name, value === true ? "" : String(value));
  }
}
