import { errorHref } from "../../lib/api/reading.ts";
import type { Texts } from "../../lib/texts/texts.ts";

interface WithCodeProps {
  text: string;
  texts: Texts["apiDocs"];
}

/**
 * A text whose parts between backticks are code. Error codes lead to their rows. As a component, because Preact would
 * escape an array of texts twice.
 */
export function WithCode({ text, texts }: WithCodeProps) {
  return text.split("`").map((part, index) => index % 2 === 1 ? <Code key={index} text={part} texts={texts} /> : part);
}

function Code({ text, texts: { remedies } }: WithCodeProps) {
  return Object.hasOwn(remedies, text) ? <a href={errorHref(text)}>{text}</a> : <code>{text}</code>;
}
