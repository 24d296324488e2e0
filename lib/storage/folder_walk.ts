import { join } from "node:path";

/** Which keys to list: those with the prefix that come after `after`. */
export interface KeyRange {
  prefix: string;
  after: string;
}

/**
 * Yields the keys of the files below a folder in ascending order. A key is the path of a file with slashes. Skips
 * symbolic links and names that `isName` does not accept. Holds the names of one folder per level in memory.
 */
export async function* walkFolder(
  root: string,
  options: KeyRange & { isName(name: string): boolean },
  folder = "",
): AsyncGenerator<string> {
  const { prefix, after, isName } = options;
  for (const name of await sortedNames(join(root, folder), isName)) {
    const key = folder + name;
    if (!name.endsWith("/")) {
      if (key > after && key.startsWith(prefix)) yield key;
    } else if (mayContain(key, options)) yield* walkFolder(root, options, key);
  }
}

/** The names of folders end with a slash, which puts them in the order of the keys below them: `a-b`, `a/b`, `a0`. */
async function sortedNames(path: string, isName: (name: string) => boolean): Promise<string[]> {
  const names: string[] = [];
  try {
    for await (const { name, isFile, isDirectory } of Deno.readDir(path)) {
      if ((isFile || isDirectory) && isName(name)) names.push(isFile ? name : `${name}/`);
    }
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error; // deleted meanwhile
  }
  return names.sort();
}

function mayContain(folder: string, { prefix, after }: KeyRange): boolean {
  return (folder.startsWith(prefix) || prefix.startsWith(folder)) && (folder > after || after.startsWith(folder));
}
