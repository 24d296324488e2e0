import { deepStrictEqual, match, ok, rejects, strictEqual } from "node:assert/strict";
import { hash } from "node:crypto";
import { packTar, unpackTar } from "modern-tar";
import { withFolder } from "../../../tests/support/database/engines.ts";
import { BACKUP_FORMAT, type BackupManifest } from "./manifest.ts";
import { readArchive, type Signer } from "./archive_reader.ts";
import { createArchive } from "./archive_writer.ts";

const SECRETS = { appSecret: "s".repeat(32) };
const LINES = ['{"id":"a","name":"€\\n"}', '{"id":"b","name":""}'];

/** Writes a backup of two tables, one of them empty. */
async function write(path: string, { lines = LINES, change = {} }: { lines?: string[]; change?: object } = {}) {
  await using archive = await createArchive(path, SECRETS);
  const users = await archive.addTable("users", batches(lines));
  const posts = await archive.addTable("posts", batches([]));
  const manifest: BackupManifest = {
    format: BACKUP_FORMAT,
    version: "0.1.0",
    schema: "0001_create_users",
    createdAt: "2026-01-02T03:04:05.678Z",
    tables: [
      { table: "users", columns: ["id", "name"], ...users },
      { table: "posts", columns: ["id"], ...posts },
    ],
    ...change,
  };
  await archive.finish(manifest);
  return manifest;
}

async function* batches(lines: string[]): AsyncGenerator<string[]> {
  for (const line of lines) yield [line];
}

async function read(path: string, signer: Signer = SECRETS): Promise<[BackupManifest, string[]]> {
  const all: string[] = [];
  const manifest = await readArchive(path, {
    signer,
    read: (table, lines) => Promise.resolve(void all.push(...lines.map((line) => `${table} ${line}`))),
  });
  return [manifest, all];
}

Deno.test("a backup is read as it was written, also by tar and sha256sum", () =>
  withFolder(async (folder) => {
    const path = `${folder}/a.tar`;
    const manifest = await write(path);
    deepStrictEqual(await read(path), [manifest, LINES.map((line) => `users ${line}`)]);
    deepStrictEqual([...Deno.readDirSync(folder)].map(({ name }) => name), ["a.tar"], "nothing else is left");
    strictEqual((await Deno.stat(path)).mode! & 0o777, 0o600);
    const script = "tar -xf a.tar && sha256sum users.jsonl && sha256sum -c manifest.json.sha256";
    const { stdout } = await new Deno.Command("sh", { args: ["-c", script], cwd: folder }).output();
    strictEqual(
      new TextDecoder().decode(stdout),
      `${manifest.tables[0].sha256}  users.jsonl\nmanifest.json: OK\n`,
    );
  }));

Deno.test("lines that are longer than the chunks of a file stay whole", () =>
  withFolder(async (folder) => {
    const lines = [300_000, 1, 700_000, 70_000].map((length) => JSON.stringify({ id: "€".repeat(length) }));
    await write(`${folder}/a.tar`, { lines });
    const [, found] = await read(`${folder}/a.tar`);
    ok(found.join() === lines.map((line) => `users ${line}`).join());
  }));

Deno.test("every flipped byte is reported, except in what no one reads", () =>
  withFolder(async (folder) => {
    const path = `${folder}/a.tar`;
    await write(path);
    const whole = await Deno.readFile(path);
    const expected = JSON.stringify(await read(path));
    let reported = 0;
    for (let at = 0; at < whole.length; at += 7) {
      const bytes = whole.slice();
      bytes[at] ^= 0x20;
      await Deno.writeFile(path, bytes);
      const result = await read(path).then(JSON.stringify, (error) => {
        match(error.message, /a\.tar is no backup, or damaged: /);
        reported++;
      });
      if (result !== undefined) strictEqual(result, expected, `byte ${at}`);
    }
    ok(reported > 300, `only ${reported} were reported`);
  }));

Deno.test("a backup that ends early is reported, wherever it ends", () =>
  withFolder(async (folder) => {
    const path = `${folder}/a.tar`;
    await write(path);
    const whole = await Deno.readFile(path);
    for (let length = 0; length < whole.length - 1024; length += 97) {
      await Deno.writeFile(path, whole.subarray(0, length));
      await rejects(read(path), /is no backup, or damaged/, `${length} bytes`);
    }
  }));

Deno.test("what the manifest says must be true", () =>
  withFolder(async (folder) => {
    const path = `${folder}/a.tar`;
    const { tables: [users, posts] } = await write(path);
    const cases: [object, RegExp][] = [
      [{ tables: [{ ...users, rows: 3 }, posts] }, /users\.jsonl has changed/],
      [{ tables: [{ ...users, sha256: "0".repeat(64) }, posts] }, /users\.jsonl has changed/],
      [{ tables: [users] }, /tables are missing/],
      [{ tables: [users, posts, { ...posts, table: "events" }] }, /tables are missing/],
      [{ format: "foyer backup 2", version: "9.0.0" }, /format "foyer backup 2" of another release, 9\.0\.0/],
    ];
    for (const [index, [change, message]] of cases.entries()) {
      await write(`${folder}/${index}.tar`, { change });
      await rejects(read(`${folder}/${index}.tar`), message);
    }
    await Deno.writeTextFile(path, "no archive at all");
    await rejects(read(path), /is no backup, or damaged/);
    await rejects(read(`${folder}/missing.tar`), /No such file/);
  }));

/** Packs files as they are. */
async function pack(path: string, files: Record<string, string>): Promise<void> {
  const entries = Object.entries(files).map(([name, body]) => ({ header: { name, size: body.length }, body }));
  await Deno.writeFile(path, await packTar(entries));
}

/** Returns the text of the two files that describe the others. */
async function describing(path: string): Promise<Record<string, string>> {
  const entries = await unpackTar(await Deno.readFile(path));
  return Object.fromEntries(
    entries.filter(({ header }) => header.name.startsWith("manifest"))
      .map(({ header, data }) => [header.name, new TextDecoder().decode(data)]),
  );
}

Deno.test("a backup is read only with a secret that has signed it", () =>
  withFolder(async (folder) => {
    const path = `${folder}/a.tar`;
    await write(path);
    const other = { appSecret: "o".repeat(32) };
    await rejects(
      read(path, other),
      /signed with another APP_SECRET, or has changed since\. Nothing was changed\. Set APP_SECRET to .*APP_SECRET_PREVIOUS/,
    );
    await read(path, { ...other, previousAppSecrets: ["p".repeat(32), SECRETS.appSecret] });
    await read(path, "anyone");
  }));

Deno.test("a manifest without its signature, or with that of another, is refused", () =>
  withFolder(async (folder) => {
    const path = `${folder}/a.tar`;
    await write(path, { change: { tables: [] } });
    const { "manifest.json": manifest, "manifest.json.sha256": seal } = await describing(path);
    const sealed = (text: string, end: string) =>
      pack(path, { "manifest.json": text, "manifest.json.sha256": `${hash("sha256", text)}  manifest.json\n${end}` });
    const [, signature] = seal.split("\n");
    await sealed(manifest, "");
    await rejects(read(path), /is not signed: .*Nothing was changed\. .*--unsigned/);
    await read(path, "anyone");
    await sealed(manifest.replace("0.1.0", "0.1.1"), `${signature}\n`);
    await rejects(read(path), /has changed since/);
    await sealed(manifest, `${signature}\n`);
    deepStrictEqual((await read(path))[1], []);
  }));

Deno.test("parts that are longer than those of any backup are not looked into", () =>
  withFolder(async (folder) => {
    const path = `${folder}/a.tar`;
    const empty = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`t${i}.jsonl`, ""]));
    const cases: [Record<string, string>, RegExp][] = [
      [{ "manifest.json": "[".repeat(1_000_001) }, /manifest\.json is too long/],
      [{ "manifest.json.sha256": "0".repeat(1_001) }, /manifest\.json\.sha256 is too long/],
      [{ "users.jsonl": "x".repeat(32_000_001) }, /a line is too long/],
      [{ [`${"u".repeat(64)}.jsonl`]: "" }, /no file named "u/],
      [empty(1_100), /too many tables/],
    ];
    for (const [files, message] of cases) {
      await pack(path, files);
      await rejects(read(path, "anyone"), message);
    }
  }));

Deno.test("what a killed export has left does not stand in the way, and what fails leaves nothing", () =>
  withFolder(async (folder) => {
    const path = `${folder}/a.tar`;
    for (const rest of [".partial", ".rows"]) await Deno.writeTextFile(path + rest, "x".repeat(100_000));
    {
      await using first = await createArchive(path, SECRETS);
      await rejects(createArchive(path, SECRETS), /another process is writing/);
      const broken = (async function* () {
        yield ["{}"];
        await Promise.reject(new Error("the database has gone"));
      })();
      await rejects(first.addTable("users", broken), /the database has gone/);
    }
    deepStrictEqual([...Deno.readDirSync(folder)], []);
    await write(path);
    deepStrictEqual((await read(path))[1].length, 2);
    await rejects(createArchive(path, SECRETS), /exists already/);
  }));
