import type { MailFrame } from "../texts.ts";
import { visibleEntries } from "./text_files.ts";

/** The files of an operator that replace the frame of every email, and the part of the email that each is for. */
const PARTS: Record<string, keyof MailFrame> = { "layout.html": "html", "layout.txt": "text" };
/** What a layout inserts. The first is required. */
const PLACEHOLDERS = ["content", "footer"];
/** A name in braces. The braces of a style sheet contain more than a name. */
const PLACEHOLDER = /\{\s*([\w-]+)\s*\}/g;

/** Reads and checks an operator's frame of emails. Each error names its file. */
export function readMailFrame(folder: URL): { frame: MailFrame; errors: string[] } {
  const frame: MailFrame = {};
  const errors = visibleEntries(folder).flatMap(({ name }) => {
    const file = `emails/${name}`;
    const part = Object.hasOwn(PARTS, name) ? PARTS[name] : undefined;
    if (part === undefined) return [`${file}: must be named ${Object.keys(PARTS).join(" or ")}`];
    try {
      const layout = Deno.readTextFileSync(new URL(name, folder));
      frame[part] = layout.replace(/^\uFEFF/, "").replaceAll("\r\n", "\n");
      return layoutProblems(layout).map((problem) => `${file}: ${problem}`);
    } catch (error) {
      return [`${file}: cannot be read: ${(error as Error).message}`];
    }
  });
  return { frame, errors };
}

/** Inserts these parts of an email into a layout. */
export function filledLayout(layout: string, parts: Record<string, string>): string {
  return layout.replaceAll(PLACEHOLDER, (placeholder, name: string) => parts[name] ?? placeholder);
}

function layoutProblems(layout: string): string[] {
  const found = [...layout.matchAll(PLACEHOLDER)].map(([, name]) => name);
  return [
    ...found.includes(PLACEHOLDERS[0]) ? [] : [`lacks {${PLACEHOLDERS[0]}}`],
    ...PLACEHOLDERS.filter((name) => found.indexOf(name) !== found.lastIndexOf(name)).map((name) =>
      `has {${name}} more than once`
    ),
    ...new Set(
      found.filter((name) => !PLACEHOLDERS.includes(name)).map((name) => `has an unknown placeholder, {${name}}`),
    ),
  ];
}
