const ROOT = new URL("../../../", import.meta.url);
/** A path of this repository, such as `lib/log/log.ts`, or the name of a file beside the document, such as `log.ts`. */
const PATH =
  /`((?:[\w.()[\]-]+\/)*[\w.()[\]-]+\.(?:tsx?|css|js|json|md)|(?:lib|db|routes|islands|tests|docs)\/[\w./()[\]-]*)`/g;
/** A file that the reader makes. */
const OF_THE_READER = /Save this as `[^`]+`/g;
/** A function, constant or type, and its file, such as "`createLog` in `lib/log/log.ts`". */
const NAME = /`(\w+)`(?:, `\w+`)*(?: and `\w+`)?(?: are)? in `([\w./()[\]-]+\.tsx?)`/g;
/** A link from a name to its file. */
const LINKED_NAME = /\[`(\w+)`\]\(([^)#]+\.tsx?)\)/g;

/**
 * Returns what a document says about the code and is not true: files that do not exist, and names that their file does
 * not contain. Paths are relative to the folder of the document or to the root.
 *
 * @param folder the folder of the document, with a slash at the end; empty for the root.
 */
export async function untrueMentions(text: string, folder = ""): Promise<string[]> {
  const prose = text.replaceAll(/```[\s\S]*?```/g, "").replaceAll(/\s+/g, " ").replaceAll(OF_THE_READER, "");
  const files = [...prose.matchAll(PATH)].map(([, path]) => path);
  const linked = [...prose.matchAll(LINKED_NAME)].map(([, name, path]) => ({ name, path: decodeURIComponent(path) }));
  const names = [...prose.matchAll(NAME)].flatMap(([mention, , path]) =>
    [...mention.matchAll(/`(\w+)`/g)].map(([, name]) => ({ name, path }))
  );
  const problems: string[] = [];
  for (const path of new Set(files)) if (!await find(path, folder)) problems.push(path);
  for (const { name, path } of [...names, ...linked]) {
    const url = await find(path, folder);
    if (url && !new RegExp(`\\b${name}\\b`).test(await Deno.readTextFile(url))) problems.push(`${name} in ${path}`);
  }
  return problems;
}

/** Reads a document. */
export function readDocument(name: string): Promise<string> {
  return Deno.readTextFile(new URL(name, ROOT));
}

/** Returns the ids that GitHub gives to the headings of a document. */
export function anchorsOf(text: string): string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
    heading.toLowerCase().replaceAll(/[^\w\s-]/g, "").replaceAll(" ", "-")
  );
}

/** Returns the sections that comments cite, such as "docs/rules.md, Login limit". */
export function citedSections(source: string): { document: string; section: string }[] {
  const text = source.replaceAll(/\n\s*(?:\*|\/\/) /g, " ");
  return [...text.matchAll(/(docs\/[\w-]+\.md), ([^.;*]+)[.;*]/g)].map(([, document, section]) => ({
    document,
    section: section.trim(),
  }));
}

/** Returns the paths of the documents in a folder, and in those inside it. */
export async function documentsIn(folder: string): Promise<string[]> {
  const entries = await Array.fromAsync(Deno.readDir(new URL(folder, ROOT)), ({ name }) => `${folder}/${name}`);
  const nested = await Promise.all((await foldersIn(folder)).map(documentsIn));
  return [...entries.filter((name) => name.endsWith(".md")), ...nested.flat()].sort();
}

/** Returns the folders below a folder. */
export async function foldersIn(folder: string): Promise<string[]> {
  const entries = await Array.fromAsync(Deno.readDir(new URL(folder, ROOT)));
  return entries.filter(({ isDirectory }) => isDirectory).map(({ name }) => `${folder}/${name}`).sort();
}

async function find(path: string, folder: string): Promise<URL | null> {
  for (const url of [new URL(folder + path, ROOT), new URL(path, ROOT)]) {
    if (await Deno.stat(url).then(() => true, () => false)) return url;
  }
  return null;
}
