import { deepStrictEqual, match, ok, rejects, strictEqual } from "node:assert/strict";
import { withFolder } from "../../tests/support/database/engines.ts";
import { BACKUP_FORMAT, type BackupManifest } from "./manifest.ts";
import { readArchive } from "./archive_reader.ts";
import { createArchive } from "./archive_writer.ts";

const LINES = ['{"id":"a","name":"€\\n"}', '{"id":"b","name":""}'];

/** Writes a backup of two tables, one of them empty. */
async function write(path: string, { lines = LINES, change = {} }: { lines?: string[]; change?: object } = {}) {
  await using archive = await createArchive(path);
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

async function read(path: string): Promise<[BackupManifest, string[]]> {
  const all: string[] = [];
  const manifest = await readArchive(path, {
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

Deno.test("what a killed export has left does not stand in the way, and what fails leaves nothing", () =>
  withFolder(async (folder) => {
    const path = `${folder}/a.tar`;
    for (const rest of [".partial", ".rows"]) await Deno.writeTextFile(path + rest, "x".repeat(100_000));
    {
      await using first = await createArchive(path);
      await rejects(createArchive(path), /another process is writing/);
      const broken = (async function* () {
        yield ["{}"];
        await Promise.reject(new Error("the database has gone"));
      })();
      await rejects(first.addTable("users", broken), /the database has gone/);
    }
    deepStrictEqual([...Deno.readDirSync(folder)], []);
    await write(path);
    deepStrictEqual((await read(path))[1].length, 2);
    await rejects(createArchive(path), /exists already/);
  }));
