import type { VNode } from "preact";
import { jsxTemplate } from "preact/jsx-runtime";
import { renderToString } from "preact-render-to-string";

interface RenderedOnceProps {
  /** Identifies the markup; null renders the content every time. */
  id: string | null;
  content: () => VNode;
}

const markup = new Map<string, string>();

/**
 * Renders content the first time, and repeats its markup for the same id. The content must depend only on the id. It
 * must not contain islands, elements of the head that a page may replace, or text in scripts and styles. Use few ids:
 * no markup is ever discarded.
 */
export function RenderedOnce({ id, content }: RenderedOnceProps): VNode {
  if (id === null) return content();
  let html = markup.get(id);
  if (html === undefined) markup.set(id, html = inAscii(renderToString(content())));
  // A template, as the compiler creates it for constant markup, needs no element around it.
  return jsxTemplate([html]);
}

/**
 * Writes other characters as references. One of them would make the engine store the whole page with two bytes for each
 * character, and sending it would take twice as long.
 */
function inAscii(html: string): string {
  return html.replace(/[^\0-\x7f]/gu, (character) => `&#${character.codePointAt(0)};`);
}
