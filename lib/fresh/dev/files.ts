import { pathToFileURL } from "node:url";
import type { FileEntry } from "../build_cache.ts";
import { mediaType } from "../media_type.ts";

/** All files below a folder, as sorted paths; none where it does not exist. */
export async function walk(folder: string): Promise<string[]> {
  const files: string[] = [];
  try {
    for await (const { name, isDirectory, isFile } of Deno.readDir(folder)) {
      if (isDirectory) files.push(...await walk(`${folder}/${name}`));
      if (isFile) files.push(`${folder}/${name}`);
    }
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  return files.sort();
}

/** The scripts below a folder that are not to be ignored. */
export async function walkScripts(folder: string, ignore: RegExp[]): Promise<string[]> {
  const files = await walk(folder);
  return files.filter((path) => /\.[jt]sx?$/.test(path) && !ignore.some((pattern) => pattern.test(path)));
}

// Hidden files stay private, but for the place of well-known URIs.
const HIDDEN = /\/\.(?!well-known(\/|$))/;

/** Describes all static files by the percent-encoded URL path they are served under. */
export async function collectStaticFiles(folders: string[]): Promise<Map<string, FileEntry>> {
  const files = new Map<string, FileEntry>();
  for (const folder of folders) {
    for (const path of await walk(folder)) {
      const relative = path.slice(folder.length);
      const pathname = relative.split("/").map(encodeURIComponent).join("/");
      if (HIDDEN.test(relative) || files.has(pathname)) continue;
      files.set(pathname, await describeFile(path, await Deno.readFile(path), pathToFileURL(path)));
    }
  }
  return files;
}

/** Describes a file that lies somewhere, or only its content. */
export async function describeFile(
  name: string,
  content: Uint8Array<ArrayBuffer>,
  source: FileEntry["source"] = content,
): Promise<FileEntry> {
  return { contentType: mediaType(name), hash: await hash(content), source };
}

/** SHA-256, in hexadecimal. */
export async function hash(content: Uint8Array<ArrayBuffer>): Promise<string> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", content)).toHex();
}
