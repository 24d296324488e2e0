import { type ArgumentKind, argumentsOf } from "./arguments.ts";
import { isGroup, type Messages } from "../messages.ts";

const HEADER = `// deno-fmt-ignore-file
// Written by \`deno task texts\` from the texts in lib/texts/en. Do not edit it.

/** Makes a link or another element of a part of a text. */
export type Tag<Node> = (children: (string | Node)[]) => Node;
/** A text with elements in it. */
export type Rich<Node> = string | Node | (string | Node)[];

/** The texts in English: their keys and their arguments. */
`;

/** Writes the types of a catalog, so that a wrong key or argument is a type error. */
export function catalogTypes(sections: Record<string, Messages>): string {
  return `${HEADER}export interface Catalog ${typeOfGroup(sections, "")}\n`;
}

function typeOfGroup(group: Messages, indent: string): string {
  const lines = Object.entries(group).map(([key, part]) => {
    const type = isGroup(part) ? typeOfGroup(part, `${indent}  `) : typeOfText(argumentsOf(part));
    return `${indent}  ${/^[a-z_$][\w$]*$/i.test(key) ? key : JSON.stringify(key)}: ${type};\n`;
  });
  return `{\n${lines.join("")}${indent}}`;
}

function typeOfText(found: Map<string, ArgumentKind>): string {
  if (found.size === 0) return "string";
  const isRich = [...found.values()].some((kind) => kind === "tag");
  const values = [...found].map(([name, kind]) => `${name}: ${TYPES[kind]}`).join("; ");
  return isRich ? `<Node>(values: { ${values} }) => Rich<Node>` : `(values: { ${values} }) => string`;
}

const TYPES: Record<ArgumentKind, string> = {
  text: "string",
  number: "number",
  date: "Date",
  choice: "string",
  tag: "Tag<Node>",
};
