import { type ComponentChildren, h } from "preact";

interface IsolatedProps {
  children: ComponentChildren;
  /** What runs from left to right in every language: addresses, hosts and codes. Names choose by their letters. */
  isLtr?: boolean;
  class?: string;
}

/**
 * A name, address, code or file name, whose direction does not mix with that of the page. Is the only way to print one;
 * inside texts, their arguments are isolated by `isolated`.
 */
export function Isolated({ children, isLtr, class: name }: IsolatedProps) {
  // Compiled markup would leave a space for each attribute that is missing.
  return h("bdi", { dir: isLtr ? "ltr" : undefined, class: name }, children);
}

/** Several names, with commas between them. */
export function IsolatedNames({ names }: { names: string[] }) {
  return names.map((name, index) => (
    <>
      {index > 0 && ", "}
      <Isolated>{name}</Isolated>
    </>
  ));
}
