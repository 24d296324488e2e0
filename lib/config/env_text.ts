import { SETTINGS } from "./environment.ts";
import { defaultOf, exampleOf } from "./examples.ts";
import type { Setting, Settings } from "./variable_types.ts";

const COMMENT_WIDTH = 98;
const INTRODUCTION = "Foyer reads these settings at each start in this folder. Those of the environment win. " +
  "While it runs, it shows all settings at the path /docs/configuration.md.";

/** Returns the text of a file `.env`: each setting with what it means. One without a value has an example. */
export function envText(values: Record<string, string | undefined>): string {
  const settings = Object.entries(values).map(([name, value]) =>
    commented(explained(name, (SETTINGS as Settings)[name])) +
    (value === undefined ? `# ${exampleOf(name)}\n` : `${name}=${quoted(value)}\n`)
  );
  return [commented(INTRODUCTION), ...settings].join("\n");
}

/** What it means, as docs/configuration.md says it, without its marks and its links. */
function explained(name: string, { says, unset }: Setting): string {
  const standard = unset ?? defaultOf(name);
  const isNone = standard === undefined || Array.isArray(standard);
  const text = `${says}.${isNone ? "" : ` Default: ${standard}.`}`
    .replaceAll(/; (see )?\[[^\]]+\]\([^)]*\)/g, "").replaceAll(/\[([^\]]+)\]\([^)]*\)/g, "$1");
  return (text[0].toUpperCase() + text.slice(1)).replaceAll("`", "");
}

function commented(text: string): string {
  const lines = [""];
  for (const word of text.split(" ")) {
    const longer = `${lines.at(-1)} ${word}`;
    if (longer.length <= COMMENT_WIDTH) lines[lines.length - 1] = longer;
    else lines.push(` ${word}`);
  }
  return lines.map((line) => `#${line}\n`).join("");
}

/** Quotes a value so that it stays one, if any quotes can do that. */
function quoted(value: string): string {
  if (/^[\w@%+=:,./-]*$/.test(value)) return value;
  const quote = ["'", '"', "`"].find((each) => !value.includes(each)) ?? "'";
  return quote + value + quote;
}
