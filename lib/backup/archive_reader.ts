import { createHash, hash } from "node:crypto";
import { messageOf } from "../log.ts";
import { BACKUP_FORMAT, type BackupManifest, BackupManifestSchema } from "./manifest.ts";
import { MANIFEST, MANIFEST_HASH } from "./archive_writer.ts";

/** Rows that are handled at once, and their size. */
const BATCH_LINES = 2_000;
const BATCH_CHARACTERS = 1_000_000;
/** No row is as long. */
const LINE_MAX_CHARACTERS = 32_000_000;
/** No manifest is as long. */
const TEXT_MAX_BYTES = 1_000_000;

/** What is done with the rows of a backup. */
export interface RowReader {
  /** Gets the rows of a table, as lines of JSON, a few at a time. */
  read(table: string, lines: string[]): Promise<void>;
}

/**
 * Reads a backup from the first byte to the last, in memory that does not grow with its size.
 *
 * @returns its manifest, once all hashes and numbers of rows are right.
 * @throws {Error} if it is damaged, or the format is that of a later release.
 */
export async function readArchive(path: string, { read }: RowReader): Promise<BackupManifest> {
  const found = new Map<string, { rows: number; sha256: string }>();
  const texts = new Map<string, string>();
  for await (const { name, body } of entriesOf(path)) {
    const [, table] = /^([a-z][a-z_0-9]*)\.jsonl$/.exec(name) ?? [];
    if (texts.has(name) || found.has(table)) throw damaged(path, `${name} is in it twice`);
    if (table !== undefined) found.set(table, await readLines(body, (lines) => read(table, lines), path));
    else if (name === MANIFEST || name === MANIFEST_HASH) texts.set(name, await readText(body, path));
    else throw damaged(path, `it has no file named ${JSON.stringify(name)}`);
  }
  const manifest = parseManifest(texts, path);
  const named = manifest.tables.map(({ table }) => table);
  if (named.join() !== [...found.keys()].join()) throw damaged(path, "tables are missing");
  for (const { table, rows, sha256 } of manifest.tables) {
    const actual = found.get(table)!;
    if (actual.sha256 !== sha256 || actual.rows !== rows) throw damaged(path, `${table}.jsonl has changed`);
  }
  return manifest;
}

async function* entriesOf(path: string) {
  const { createTarDecoder } = await import("modern-tar"); // loaded only if it is used
  const file = await Deno.open(path);
  const entries = file.readable.pipeThrough(createTarDecoder({ strict: true }));
  for await (const { header, body } of readableOr(path, entries)) {
    yield { name: header.name, body: readableOr(path, body) };
  }
}

/** Passes on what a stream holds. Its errors, unlike those of the consumer, mean that the backup is damaged. */
async function* readableOr<Item>(path: string, items: AsyncIterable<Item>): AsyncGenerator<Item> {
  try {
    yield* items;
  } catch (error) {
    throw damaged(path, messageOf(error));
  }
}

async function readLines(
  body: AsyncIterable<Uint8Array>,
  read: (lines: string[]) => Promise<void>,
  path: string,
): Promise<{ rows: number; sha256: string }> {
  const digest = createHash("sha256");
  const decoder = new TextDecoder();
  let [rows, rest, lines, characters] = [0, "", [] as string[], 0];
  const flush = async () => {
    if (lines.length > 0) await read(lines);
    [lines, characters] = [[], 0];
  };
  for await (const bytes of body) {
    digest.update(bytes);
    const parts = (rest + decoder.decode(bytes, { stream: true })).split("\n");
    rest = parts.pop()!;
    if (rest.length > LINE_MAX_CHARACTERS) throw damaged(path, "a line is too long");
    for (const line of parts) {
      rows++;
      characters += line.length;
      if (lines.push(line) >= BATCH_LINES || characters > BATCH_CHARACTERS) await flush();
    }
  }
  if (rest !== "") throw damaged(path, "a line is incomplete");
  await flush();
  return { rows, sha256: digest.digest("hex") };
}

async function readText(body: AsyncIterable<Uint8Array>, path: string): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const bytes of body) {
    text += decoder.decode(bytes, { stream: true });
    if (text.length > TEXT_MAX_BYTES) throw damaged(path, `${MANIFEST} is too long`);
  }
  return text;
}

/** A backup of a later format is reported as such, although its manifest may look otherwise. */
function parseManifest(texts: Map<string, string>, path: string): BackupManifest {
  const text = texts.get(MANIFEST);
  if (text === undefined || texts.get(MANIFEST_HASH)?.split(" ")[0] !== hash("sha256", text)) {
    throw damaged(path, `${MANIFEST} is missing or has changed`);
  }
  const value = JSON.parse(text);
  if (value.format !== BACKUP_FORMAT) {
    throw new Error(`${path} has the format "${value.format}" of another release, ${value.version}. Use that release`);
  }
  return BackupManifestSchema.parse(value);
}

function damaged(path: string, cause: string): Error {
  return new Error(`${path} is no backup, or damaged: ${cause}`);
}
