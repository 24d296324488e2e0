import { join } from "node:path";
import { PRIVATE } from "../config/data_dir.ts";

/** Creates the folders below `root` one by one. Anything else in their place, even a symbolic link, is an error. */
export async function makeFolder(root: string, names: string[]): Promise<string> {
  let folder = root;
  for (const name of names) {
    const parent = folder;
    folder = join(parent, name);
    if ((await orNull(Deno.lstat(folder)))?.isDirectory) continue;
    await Deno.mkdir(folder, PRIVATE.folder).catch(ignore(Deno.errors.AlreadyExists));
    if (!(await Deno.lstat(folder)).isDirectory) throw new Error(`Cannot store an object: not a folder: ${folder}`);
    await flushFolder(parent);
  }
  return folder;
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
