import { createHash, hash } from "node:crypto";
import type { AppSecrets } from "../../crypto/derived_key.ts";
import { messageOf } from "../../log/log.ts";
import { BACKUP_FORMAT, type BackupManifest, BackupManifestSchema } from "./manifest.ts";
import { MANIFEST, MANIFEST_HASH } from "./archive_writer.ts";
import { isManifestSigned } from "./signature.ts";

/** Rows that are handled at once, and their size. */
const BATCH_LINES = 2_000;
const BATCH_CHARACTERS = 1_000_000;
/** No row is as long. */
const LINE_MAX_CHARACTERS = 32_000_000;
/** Longer than any manifest or hash file. */
const TEXT_MAX_CHARACTERS = { [MANIFEST]: 1_000_000, [MANIFEST_HASH]: 1_000 };
/** More than any backup has. */
const MAX_TABLES = 1_000;
/** A valid PostgreSQL identifier. */
const ROWS_FILE = /^([a-z][a-z_0-9]{0,62})\.jsonl$/;
const SEAL = /^(?<sha256>[0-9a-f]{64}) {2}manifest\.json\n(?:# HMAC-SHA-256: (?<signature>[0-9a-f]{64})\n)?$/;

/** Whether only backups signed with these secrets are read, or all. */
export type Signer = AppSecrets | "anyone";

/** A backup that is whole, and of which no one knows who has written it. */
export class NotSigned extends Error {
  override name = "NotSigned";
  /** Whether it has a signature, which is not ours. */
  readonly hasOther: boolean;

  constructor(message: string, { hasOther }: { hasOther: boolean }) {
    super(message);
    this.hasOther = hasOther;
  }
}

/** What is done with a backup. */
export interface ReadOptions {
  signer: Signer;
  /** Gets the rows of a table, as lines of JSON, a few at a time. */
  read(table: string, lines: string[]): Promise<void>;
}

/**
 * Reads a backup from the first byte to the last, in memory that does not grow with its size.
 *
 * @returns its manifest, once all hashes and numbers of rows are right.
 * @throws {NotSigned} if the signature is not there or not right.
 * @throws {Error} if it is damaged, or the format is that of a later release.
 */
export async function readArchive(path: string, { read, signer }: ReadOptions): Promise<BackupManifest> {
  const found = new Map<string, { rows: number; sha256: string }>();
  const texts = new Map<string, string>();
  for await (const { name, body } of entriesOf(path)) {
    const [, table] = ROWS_FILE.exec(name) ?? [];
    if (texts.has(name) || found.has(table)) throw damaged(path, `${name} is in it twice`);
    if (found.size > MAX_TABLES) throw damaged(path, "it has too many tables");
    if (table !== undefined) found.set(table, await readLines(body, (lines) => read(table, lines), path));
    else if (name === MANIFEST || name === MANIFEST_HASH) texts.set(name, await readText(body, { path, name }));
    else throw damaged(path, `it has no file named ${JSON.stringify(name.slice(0, 100))}`);
  }
  const manifest = await parseManifest(texts, { path, signer });
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
    const [end, ...others] = decoder.decode(bytes, { stream: true }).split("\n");
    const parts = [rest + end, ...others];
    if (parts[0].length > LINE_MAX_CHARACTERS) throw damaged(path, "a line is too long");
    rest = parts.pop()!;
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

async function readText(
  body: AsyncIterable<Uint8Array>,
  { path, name }: { path: string; name: keyof typeof TEXT_MAX_CHARACTERS },
): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const bytes of body) {
    text += decoder.decode(bytes, { stream: true });
    if (text.length > TEXT_MAX_CHARACTERS[name]) throw damaged(path, `${name} is too long`);
  }
  return text;
}

/** A backup of a later format is reported as such, although its manifest may look otherwise. */
async function parseManifest(
  texts: Map<string, string>,
  { path, signer }: { path: string; signer: Signer },
): Promise<BackupManifest> {
  const text = texts.get(MANIFEST);
  const { sha256, signature } = SEAL.exec(texts.get(MANIFEST_HASH) ?? "")?.groups ?? {};
  if (text === undefined || sha256 !== hash("sha256", text)) {
    throw damaged(path, `${MANIFEST} is missing or has changed`);
  }
  if (signer !== "anyone") await requireSignature(text, { path, signature, secrets: signer });
  const value = JSON.parse(text);
  if (value.format !== BACKUP_FORMAT) {
    throw new Error(`${path} has the format "${value.format}" of another release, ${value.version}. Use that release`);
  }
  return BackupManifestSchema.parse(value);
}

async function requireSignature(
  text: string,
  { path, signature, secrets }: { path: string; signature: string | undefined; secrets: AppSecrets },
): Promise<void> {
  if (signature === undefined) {
    throw new NotSigned(
      `${path} is not signed: an older version has written it, or not this service. Nothing was changed. If you are ` +
        "sure that no one has changed the file, import it with --unsigned",
      { hasOther: false },
    );
  }
  if (await isManifestSigned(new TextEncoder().encode(text), { signature, secrets })) return;
  throw new NotSigned(
    `${path} was signed with another APP_SECRET, or has changed since. Nothing was changed. Set APP_SECRET to the value ` +
      "that the service had at the backup (or copy the file app_secret of its DATA_DIR), or add that value to " +
      "APP_SECRET_PREVIOUS",
    { hasOther: true },
  );
}

function damaged(path: string, cause: string): Error {
  return new Error(`${path} is no backup, or damaged: ${cause}`);
}
