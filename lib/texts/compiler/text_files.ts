/** Texts as a file holds them: messages in the ICU message format, by key. */
export interface TextTree {
  [key: string]: string | TextTree;
}

/** Lists the files of texts below a folder, such as `settings/tokens.json`. */
export function textFiles(folder: URL, path = ""): string[] {
  return [...Deno.readDirSync(new URL(path, folder))].flatMap(({ name, isDirectory }) =>
    isDirectory ? textFiles(folder, `${path}${name}/`) : name.endsWith(".json") ? `${path}${name}` : []
  ).sort();
}

/** @throws {SyntaxError} if the file is not JSON. */
export function readTexts(folder: URL, file: string): TextTree {
  return JSON.parse(Deno.readTextFileSync(new URL(file, folder)));
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
