import { createHash } from "node:crypto";
import type { TarPackController } from "modern-tar";
import { PRIVATE } from "../../config/data_dir.ts";
import type { AppSecrets } from "../../crypto/derived_key.ts";
import type { BackupManifest } from "./manifest.ts";
import { signManifest } from "./signature.ts";
import { unfinishedFiles } from "./unfinished_files.ts";

/** The file of a backup that describes the others. It is the last but one. */
export const MANIFEST = "manifest.json";
/**
 * The file that holds the hash of the manifest and, in a comment for `sha256sum`, its signature. It is the last one.
 * Releases without signatures can read it.
 */
export const MANIFEST_HASH = "manifest.json.sha256";

/** A backup that is being written. Disposing of it before it is finished deletes it. */
export interface ArchiveWriter extends AsyncDisposable {
  /** Adds the rows of a table, as lines of JSON. */
  addTable(table: string, lines: AsyncIterable<string[]>): Promise<{ rows: number; sha256: string }>;
  /** Writes the manifest and its signature, flushes the file to the disk and gives it its name. */
  finish(manifest: BackupManifest): Promise<void>;
}

/**
 * Starts a backup. Only its owner can read it. The rows of a table go through a file of their own, because a tar has
 * the size of a file before its content.
 *
 * @throws {Error} if the file exists, or another process is writing it.
 */
export async function createArchive(path: string, secrets: AppSecrets): Promise<ArchiveWriter> {
  if (await exists(path)) throw new Error(`Not exported: ${path} exists already`);
  const { createTarPacker } = await import("modern-tar"); // loaded only if it is used
  const names = unfinishedFiles(path);
  await using stack = new AsyncDisposableStack();
  const file = await claim(names.archive, stack);
  const spool = await claim(names.rows, stack);
  const { readable, controller } = createTarPacker();
  const written = writeStream(file, readable);
  let writeError: unknown;
  written.catch((error) => writeError = error);
  /** The stream itself would only say that it was aborted. */
  const orWriteError = (adding: Promise<void>) => adding.catch((error) => Promise.reject(writeError ?? error));
  stack.defer(() => controller.error(new Error("Not finished")));
  const unfinished = stack.move();
  return {
    async addTable(table, lines) {
      await spool.truncate();
      await spool.seek(0, Deno.SeekMode.Start);
      const facts = await writeLines(spool, lines);
      await orWriteError(addFile(controller, `${table}.jsonl`, spool));
      return facts;
    },
    async finish(manifest) {
      const text = new TextEncoder().encode(`${JSON.stringify(manifest, null, 2)}\n`);
      await orWriteError(addBytes(controller, MANIFEST, text));
      const hash = createHash("sha256").update(text).digest("hex");
      const seal = `${hash}  ${MANIFEST}\n# HMAC-SHA-256: ${await signManifest(text, secrets)}\n`;
      await orWriteError(addBytes(controller, MANIFEST_HASH, new TextEncoder().encode(seal)));
      controller.finalize();
      await written;
      await file.sync();
      await Deno.rename(names.archive, path);
    },
    [Symbol.asyncDispose]: () => unfinished.disposeAsync(),
  };
}

/** Opens a file that a killed export may have left, unless another process has it. Deletes it in the end. */
async function claim(path: string, stack: AsyncDisposableStack): Promise<Deno.FsFile> {
  const file = await Deno.open(path, { read: true, write: true, create: true, ...PRIVATE.file });
  if (!await file.tryLock(true)) {
    file.close();
    throw new Error(`Not exported: another process is writing ${path}`);
  }
  stack.defer(async () => {
    await Deno.remove(path).catch(() => {}); // a finished backup has another name
    file.close();
  });
  await file.truncate();
  return file;
}

async function writeLines(file: Deno.FsFile, lines: AsyncIterable<string[]>) {
  const hash = createHash("sha256");
  const encoder = new TextEncoder();
  let rows = 0;
  for await (const some of lines) {
    if (some.length === 0) continue;
    const bytes = encoder.encode(`${some.join("\n")}\n`);
    hash.update(bytes);
    rows += some.length;
    await writeBytes(file, bytes);
  }
  return { rows, sha256: hash.digest("hex") };
}

async function writeStream(file: Deno.FsFile, stream: ReadableStream<Uint8Array>): Promise<void> {
  for await (const bytes of stream) await writeBytes(file, bytes);
}

async function writeBytes(file: Deno.FsFile, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length;) at += await file.write(bytes.subarray(at));
}

const CHUNK_BYTES = 256 * 1024;

async function addFile(controller: TarPackController, name: string, file: Deno.FsFile): Promise<void> {
  const size = await file.seek(0, Deno.SeekMode.End);
  await file.seek(0, Deno.SeekMode.Start);
  const writer = controller.add({ name, size, mode: PRIVATE.file.mode }).getWriter();
  for (let rest = size; rest > 0;) {
    const chunk = new Uint8Array(Math.min(rest, CHUNK_BYTES));
    const count = await file.read(chunk);
    if (count === null) throw new Error(`Not exported: the rows of ${name} are incomplete`);
    await writer.write(chunk.subarray(0, count));
    rest -= count;
  }
  await writer.close();
}

async function addBytes(controller: TarPackController, name: string, bytes: Uint8Array): Promise<void> {
  const writer = controller.add({ name, size: bytes.length, mode: PRIVATE.file.mode }).getWriter();
  await writer.write(bytes);
  await writer.close();
}

async function exists(path: string): Promise<boolean> {
  return await Deno.lstat(path).then(() => true, (error) => {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  });
}
