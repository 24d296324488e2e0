import { readTexts, textFiles, type TextTree } from "../../../lib/texts/compiler/text_files.ts";

const ENGLISH = new URL("../../../lib/texts/en/", import.meta.url);

/** A language of tests: the English texts in brackets. */
export const MARKER = "nl";
/** The headers of a reader of that language. */
export const IN_MARKER = { "Accept-Language": "nl-BE,nl;q=0.9,en;q=0.5" };

/** Writes the texts of the marker language, and returns their folder. It is deleted after the last test of the file. */
export async function writeMarkerTexts(): Promise<string> {
  const folder = await Deno.makeTempDir({ prefix: "foyer-texts-" });
  Deno.test.afterAll(() => Deno.remove(folder, { recursive: true }));
  for (const file of textFiles(ENGLISH)) {
    const path = `${folder}/${MARKER}/${file}`;
    await Deno.mkdir(path.slice(0, path.lastIndexOf("/")), { recursive: true });
    await Deno.writeTextFile(path, JSON.stringify(marked(readTexts(ENGLISH, file))));
  }
  return folder;
}

function marked(texts: TextTree): TextTree {
  return Object.fromEntries(
    Object.entries(texts).map(([key, text]) => [key, typeof text === "string" ? `⟦${text}⟧` : marked(text)]),
  );
}

/** What stands outside of texts: names, addresses and data. */
const DATA = new RegExp(
  [
    String
      .raw`\bFoyer\b|\d+ maart 2026(?: om)?|Google|GitHub|Ada Lovelace|Mary Jackson|Zyx|foyer_\S+|English|Deutsch|Nederlands`,
    String.raw`https?:\/\/\S+|\/api\/\S+|\S+@\S+|\bUTC\b|[A-Z]\w+ on (?:Mac|Windows|Linux)`,
    // The apps of tests.
    String.raw`Harbor Wiki|Team wiki|Portal\b|Text editor|Terminal\b|(?:wiki|portal)\.example\.com|Gladys West`,
    // The files of tests, and sizes.
    String.raw`[\w ,]+\.(?:txt|png)|\bTXT\b|\bbytes?\b|&nbsp;`,
    // The token and the recovery codes of tests.
    String.raw`Nightly backup|\b[0-9A-Z]{4}(?:-[0-9A-Z]{4}){3}\b`,
  ].join("|"),
  "g",
);
/** A text from the catalog, which may contain others. */
const MARKED = /⟦(?:[^⟦⟧]|⟦[^⟦⟧]*⟧)*⟧/g;

/** Returns the texts of a page that no catalog has. */
export function unmarked(html: string): string[] {
  // Intl writes times, also in tooltips.
  const body = withoutReferences(html).replaceAll(/<(script|style|time)\b[\s\S]*?<\/\1>/g, "").replaceAll(
    /<!--[\s\S]*?-->/g,
    "",
  );
  const attributes = [...body.matchAll(/ (?:aria-label|alt|title|placeholder)="([^"]*)"/g)].map(([, text]) => text);
  const [, description = ""] = /<meta name="description" content="([^"]*)"/.exec(body) ?? [];
  const texts = body.replaceAll(/<\/?(?:a|bdi|code|strong)\b[^>]*>/g, "").split(/<[^>]*>/);
  return unmarkedIn([...texts, ...attributes, description]);
}

/** Replaces the numbers of characters in repeated parts of pages. */
export function withoutReferences(html: string): string {
  return html.replaceAll(/&#(\d+);/g, (_, code) => String.fromCodePoint(Number(code)));
}

/** Returns those of these texts that no catalog has. */
export function unmarkedIn(texts: string[]): string[] {
  return texts.map((text) => text.replaceAll(MARKED, "").replaceAll(DATA, "").trim())
    .filter((text) => /[a-z]{3}/i.test(text));
}
