import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { sql } from "kysely";
import { openDatabase } from "../../db/connection.ts";
import { PASSWORD } from "../support/app/accounts.ts";
import { type AppProcess, buildApp, startApp } from "../support/processes/app_process.ts";
import { withFolder } from "../support/database/engines.ts";
import { exists } from "../support/prerequisites.ts";
import { memoryOf } from "../support/processes/process_probe.ts";
import { register } from "../support/processes/process_session.ts";
import { waitFor } from "../support/wait_for.ts";

const KILLS = 20;
const WRITERS = 4;

/** A user who writes increasing numbers to their bio, one at a time. */
interface Writer {
  cookie: string;
  tried: number;
  acknowledged: number;
}

await buildApp();

Deno.test("the embedded database keeps all acknowledged writes when it is killed under load 20 times", () =>
  withFolder(async (folder) => {
    const writers: Writer[] = [];
    const emails: string[] = [];
    for (let kill = 0; kill < KILLS; kill++) {
      await using app = await startApp({ dataDir: folder });
      await assertKept(app, writers, emails);
      if (kill < WRITERS) writers.push(await newWriter(app, emails));
      // Later each time, so that the kills happen at different moments.
      await killAfter(5 + 2 * kill, app, (noteWrite) => [
        ...writers.map((writer) => write(app, writer, noteWrite)),
        registerUsers(app, emails, noteWrite),
      ]);
    }
    await using app = await startApp({ dataDir: folder });
    await assertKept(app, writers, emails);
  }));

Deno.test("the next start completes an embedded database that was killed during its creation", () =>
  withFolder(async (folder) => {
    const database = `${folder}/database`;
    await Deno.mkdir(`${database}/base`, { recursive: true });
    // Opening a pipe to write blocks until someone reads from it.
    const obstacle = `${database}/postgresql.conf`;
    await new Deno.Command("mkfifo", { args: [obstacle] }).output();
    {
      await using app = await startApp({ dataDir: folder }, { awaitReady: false });
      await waitFor("the file before the pipe", () => exists(`${database}/PG_VERSION.new`));
      app.kill("SIGKILL");
      await app.ended;
    }
    await Deno.remove(obstacle);
    await using app = await startApp({ dataDir: folder });
    await register(app, "first@example.com");
    strictEqual(await exists(`${database}/PG_VERSION.new`), false);
  }));

Deno.test("a new embedded database equals one that the engine creates itself", () =>
  withFolder(async (folder) => deepStrictEqual(await catalogsOf(folder), await catalogsOf("memory://"))));

/** Returns a hash of each system table, except that of random samples. */
async function catalogsOf(directory: string): Promise<Record<string, string>> {
  const { db, close } = await openDatabase({ directory, log() {} });
  const { rows: tables } = await sql<{ name: string }>`select relname as name from pg_class
    where relnamespace = 'pg_catalog'::regnamespace and relkind = 'r' and relname <> 'pg_statistic'`.execute(db);
  const hashes = await Promise.all(tables.map(async ({ name }) => {
    const rows = sql<{ hash: string }>`select md5(string_agg(t::text, '' order by t::text)) as hash from ${
      sql.table(name)
    } t`;
    return [name, (await rows.execute(db)).rows[0].hash];
  }));
  await close();
  return Object.fromEntries(hashes);
}

Deno.test("the embedded database reuses the space of deleted rows and of its log", () =>
  withFolder(async (folder) => {
    const database = await openDatabase({ directory: folder, log() {} });
    await database.migrate();
    await database.tidy();
    const sizes: number[] = [];
    for (let round = 0; round < 6; round++) {
      await sql`insert into rate_limits (policy, client, requests, window_ends_at)
        select 'login', repeat(md5(i::text), 8), 1, now() from generate_series(1, 20000) i`.execute(database.db);
      await sql`delete from rate_limits`.execute(database.db);
      await database.tidy();
      sizes.push(await bytesIn(folder));
    }
    await database.close();
    // The log keeps its largest size, so only the later rounds are comparable.
    ok(sizes[5] < 1.05 * sizes[2], `${sizes.map((bytes) => Math.round(bytes / 2 ** 20))} MiB`);
  }));

async function bytesIn(folder: string): Promise<number> {
  let bytes = 0;
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    bytes += isDirectory ? await bytesIn(`${folder}/${name}`) : (await Deno.stat(`${folder}/${name}`)).size;
  }
  return bytes;
}

Deno.test("other users of the machine can read neither the database nor the emails", () =>
  withFolder(async (folder) => {
    await Deno.mkdir(`${folder}/database`, { mode: 0o755 });
    await using app = await startApp({ dataDir: folder });
    await register(app, "private@example.com");
    await waitFor("the mail folder", () => exists(`${folder}/outbox`));
    for (const name of ["database", "outbox"]) {
      strictEqual((await Deno.stat(`${folder}/${name}`)).mode! & 0o777, 0o700, name);
    }
  }));

Deno.test("other files in the folder of the embedded database are left unchanged", () =>
  withFolder(async (folder) => {
    await Deno.mkdir(`${folder}/database`);
    await Deno.writeTextFile(`${folder}/database/half_of_a_backup`, "precious");
    await using app = await startApp({ dataDir: folder }, { awaitReady: false });
    await waitFor("the end of the start", () => /listening|could not start/.test(app.output()));
    strictEqual(await Deno.readTextFile(`${folder}/database/half_of_a_backup`), "precious");
  }));

Deno.test("the first start with the embedded database takes less than 450 MB", () =>
  withFolder(async (folder) => {
    await using app = await startApp({ dataDir: folder, createsDatabase: true });
    const peak = await memoryOf(app, "VmHWM");
    ok(peak < 450_000_000, `${peak} bytes`);
  }));

async function newWriter(app: AppProcess, emails: string[]): Promise<Writer> {
  const email = `${crypto.randomUUID()}@example.com`;
  const { cookie } = await register(app, email);
  emails.push(email);
  return { cookie, tried: 0, acknowledged: 0 };
}

/** Kills the app after this many acknowledged writes, while others are in progress. */
async function killAfter(writes: number, app: AppProcess, start: (noteWrite: () => void) => Promise<void>[]) {
  let left = writes;
  await Promise.all(start(() => {
    if (--left === 0) app.kill("SIGKILL");
  }));
  await app.ended;
}

/** Writes until the app has ended. */
async function write(app: AppProcess, writer: Writer, noteWrite: () => void): Promise<void> {
  while (true) {
    const bio = String(++writer.tried);
    const status = await send(app, "PUT", "/api/profile", { bio }, writer.cookie);
    if (status === null) return;
    strictEqual(status, 200);
    writer.acknowledged = Number(bio);
    noteWrite();
  }
}

/** Registers users until the app has ended. */
async function registerUsers(app: AppProcess, emails: string[], noteWrite: () => void): Promise<void> {
  while (true) {
    const email = `${crypto.randomUUID()}@example.com`;
    const status = await send(app, "POST", "/auth/register", { name: "Someone", email, password: PASSWORD });
    if (status === null) return;
    strictEqual(status, 201);
    emails.push(email);
    noteWrite();
  }
}

/** Returns the status, or null if there was no response. */
async function send(app: AppProcess, method: string, path: string, body: unknown, cookie = ""): Promise<number | null> {
  const headers = { "Content-Type": "application/json", Cookie: cookie };
  const response = await fetch(app.url + path, { method, body: JSON.stringify(body), headers }).catch(() => null);
  await response?.body?.cancel().catch(() => {});
  return response?.status ?? null;
}

/** Fails if an acknowledged write was lost. Others may have been kept or not. */
async function assertKept(app: AppProcess, writers: Writer[], emails: string[]): Promise<void> {
  const { data } = await (await fetch(`${app.url}/api/users?limit=500`)).json();
  const kept = new Set(data.map((user: { email: string }) => user.email));
  for (const email of emails) ok(kept.has(email), `${email} is lost`);
  for (const { cookie, tried, acknowledged } of writers) {
    const response = await fetch(`${app.url}/api/profile`, { headers: { Cookie: cookie } });
    strictEqual(response.status, 200);
    const written = Number((await response.json()).user.bio);
    ok(written >= acknowledged && written <= tried, `${written} was kept, ${acknowledged} was acknowledged`);
  }
}
