import { join } from "node:path";
import { PRIVATE } from "../config/data_dir.ts";

/**
 * Creates a folder below `root`, and those that contain it. Anything else in their place, even a symbolic link, is an
 * error.
 */
export async function makeFolder(root: string, path: string): Promise<void> {
  let folder = root;
  for (const name of path.split("/")) {
    const parent = folder;
    folder = join(parent, name);
    if ((await orNull(Deno.lstat(folder)))?.isDirectory) continue;
    await Deno.mkdir(folder, PRIVATE.folder).catch(ignore(Deno.errors.AlreadyExists));
    if (!(await Deno.lstat(folder)).isDirectory) throw new Error(`Cannot store an object: not a folder: ${folder}`);
    await flushFolder(parent);
  }
}

/**
 * Opens a file for writing. If its folder is missing, creates it: an operator may have deleted it, or the whole store.
 */
export async function openInFolder(folder: string, name: string, options: Deno.OpenOptions): Promise<Deno.FsFile> {
  const open = () => Deno.open(join(folder, name), { write: true, ...options, ...PRIVATE.file });
  return await orNull(open()) ?? await Deno.mkdir(folder, { recursive: true, ...PRIVATE.folder }).then(open);
}

/** Makes renames and new names in a folder survive a power failure. */
export async function flushFolder(path: string): Promise<void> {
  if (Deno.build.os === "windows") return; // Windows cannot flush folders
  using folder = await Deno.open(path);
  await folder.sync();
}

/** Deletes a file. A missing one is not an error. */
export async function removeIfPresent(path: string): Promise<void> {
  await Deno.remove(path).catch(ignore(Deno.errors.NotFound, Deno.errors.NotADirectory));
}

/** Returns null if the file, or a folder on its path, does not exist. */
export async function orNull<T>(promise: Promise<T>): Promise<T | null> {
  return await promise.catch((error) => ignore(Deno.errors.NotFound, Deno.errors.NotADirectory)(error) ?? null);
}

/** Returns a handler of rejections that swallows errors of these types. */
export function ignore(...types: (new (message: string) => Error)[]): (error: unknown) => undefined {
  return (error) => {
    if (!types.some((type) => error instanceof type)) throw error;
  };
}
