/** Texts as a file holds them: messages in the ICU message format, by key. */
export interface TextTree {
  [key: string]: string | TextTree;
}

/** Lists the files of texts below a folder, such as `settings/tokens.json`. */
export function textFiles(folder: URL, path = ""): string[] {
  return visibleEntries(new URL(path, folder)).flatMap(({ name, isDirectory }) =>
    isDirectory ? textFiles(folder, `${path}${name}/`) : name.endsWith(".json") ? `${path}${name}` : []
  ).sort();
}

/** Lists a folder. Editors, and volumes of containers, have hidden files of their own in it. */
export function visibleEntries(folder: URL): Deno.DirEntry[] {
  return [...Deno.readDirSync(folder)].filter(({ name }) => !name.startsWith("."))
    .sort((a, b) => a.name < b.name ? -1 : 1);
}

/** @throws {Error} if the file is not a JSON object. */
export function readTexts(folder: URL, file: string): TextTree {
  const texts = JSON.parse(Deno.readTextFileSync(new URL(file, folder)).replace(/^\uFEFF/, ""));
  if (!isTree(texts)) throw new Error("must be a JSON object");
  return texts;
}

/** Whether it is not a text, but several by key. */
export function isTree(text: unknown): text is TextTree {
  return typeof text === "object" && text !== null && !Array.isArray(text);
}

/**
 * Returns where the texts of a file are in the catalog: `settings/api_tokens.json` is the section `apiTokens`, and
 * `emails/code.json` is the email `code` of the section `mails`.
 */
export function placeOf(file: string): { section: string; kind?: string } {
  const [name, folder] = file.replace(/\.json$/, "").split("/").reverse();
  if (folder === "emails") return { section: "mails", kind: name };
  return { section: name.replaceAll(/_(\w)/g, (_match, letter: string) => letter.toUpperCase()) };
}
