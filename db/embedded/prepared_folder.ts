import { join } from "node:path";
import { gunzipSync } from "node:zlib";

/** The file that shows that a folder holds a database. Written last. */
const MARKER = "PG_VERSION";

/** More than the archive holds, so that it is unpacked in one piece: joining pieces would take its memory twice. */
const ARCHIVE_MAX_BYTES = 64 * 2 ** 20;

/** Source: POSIX, pax, ustar interchange format. */
const TAR = { block: 512, name: [0, 100], sizeBytes: [124, 136], type: [156, 157], folder: "5" } as const;

/**
 * Writes a new database into a folder, unless the folder already holds one. If the process is killed meanwhile, the next
 * call starts again. The engine could create the same database itself, but that takes 800 MB and several seconds.
 */
export async function createDatabase(directory: string): Promise<void> {
  for await (const { name } of Deno.readDir(directory)) if (name === MARKER) return;
  const { dataDir } = await import("@electric-sql/pglite-prepopulatedfs"); // loaded only if it is used
  const unfinished = join(directory, `${MARKER}.new`);
  const archive = gunzipSync(await (await dataDir()).bytes(), { chunkSize: ARCHIVE_MAX_BYTES });
  for (const { name, isFolder, content } of entriesOf(archive)) {
    const path = name === `/${MARKER}` ? unfinished : join(directory, name);
    await (isFolder ? Deno.mkdir(path, { recursive: true }) : Deno.writeFile(path, content));
  }
  await Deno.rename(unfinished, join(directory, MARKER));
}

/** Returns the entries of a tar archive. */
function* entriesOf(tar: Uint8Array<ArrayBuffer>) {
  const decoder = new TextDecoder();
  for (let start = 0; tar[start] !== 0;) {
    const field = ([from, to]: readonly [number, number]) =>
      decoder.decode(tar.subarray(start + from, start + to)).split("\0")[0];
    const sizeBytes = parseInt(field(TAR.sizeBytes), 8);
    const contentAt = start + TAR.block;
    const content = tar.subarray(contentAt, contentAt + sizeBytes);
    yield { name: field(TAR.name), isFolder: field(TAR.type) === TAR.folder, content };
    start = contentAt + Math.ceil(sizeBytes / TAR.block) * TAR.block;
  }
}
