import { pathToFileURL } from "node:url";
import type { FileEntry } from "../build_cache.ts";
import { mediaType } from "../static/media_type.ts";

/** Returns the sorted paths of all files below a folder, or none if the folder does not exist. */
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

/** Returns the paths of scripts below a folder, except those that match an ignored pattern. */
export async function walkScripts(folder: string, ignore: RegExp[]): Promise<string[]> {
  const files = await walk(folder);
  return files.filter((path) => /\.[jt]sx?$/.test(path) && !ignore.some((pattern) => pattern.test(path)));
}

// Hidden files are not served, except those in /.well-known (RFC 8615).
const HIDDEN = /\/\.(?!well-known(\/|$))/;

/** Describes all static files. The keys are percent-encoded URL paths. */
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

/** Describes a file on disk, or content in memory. */
export async function describeFile(
  name: string,
  content: Uint8Array<ArrayBuffer>,
  source: FileEntry["source"] = content,
): Promise<FileEntry> {
  return { contentType: mediaType(name), hash: await hash(content), source };
}

/** Returns the SHA-256 hash in hexadecimal. */
export async function hash(content: Uint8Array<ArrayBuffer>): Promise<string> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", content)).toHex();
}
