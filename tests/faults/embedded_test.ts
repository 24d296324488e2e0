import { ok, strictEqual } from "node:assert/strict";
import { sql } from "kysely";
import { openDatabase } from "../../db/connection.ts";
import { PASSWORD } from "../support/accounts.ts";
import { type AppProcess, buildApp, startApp } from "../support/app_process.ts";
import { delay } from "../support/delay.ts";
import { withFolder } from "../support/engines.ts";
import { exists } from "../support/prerequisites.ts";
import { memoryOf } from "../support/process_probe.ts";
import { register } from "../support/process_session.ts";

const KILLS = 20;
const WRITERS = 4;

/** Someone who counts up in their own profile, one write at a time. */
interface Writer {
  cookie: string;
  tried: number;
  acknowledged: number;
}

await buildApp();

Deno.test("killed under load twenty times, the embedded database opens each time with all that was acknowledged", () =>
  withFolder(async (folder) => {
    const writers: Writer[] = [];
    const emails: string[] = [];
    for (let kill = 0; kill < KILLS; kill++) {
      await using app = await startApp({ dataDir: folder });
      await assertKept(app, writers, emails);
      if (kill < WRITERS) writers.push(await newWriter(app, emails));
      // Later each time, so that it strikes at many moments.
      await killAfter(5 + 2 * kill, app, (noteWrite) => [
        ...writers.map((writer) => write(app, writer, noteWrite)),
        registerPeople(app, emails, noteWrite),
      ]);
    }
    await using app = await startApp({ dataDir: folder });
    await assertKept(app, writers, emails);
  }));

Deno.test("killed while the embedded database is made, the next start makes it whole", () =>
  withFolder(async (folder) => {
    {
      await using app = await startApp({ dataDir: folder }, { awaitReady: false });
      const isBeingMade = () => exists(`${folder}/database.new/PG_VERSION`);
      for (let i = 0; i < 30_000 && !await isBeingMade(); i++) await delay(1);
      ok(await isBeingMade());
      app.kill("SIGKILL");
      await app.ended;
    }
    await using app = await startApp({ dataDir: folder });
    await register(app, "first@example.com");
    strictEqual(await exists(`${folder}/database.new`), false);
  }));

Deno.test("the embedded database uses the room of deleted rows, and of its log, again", () =>
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
    // The log holds on to as much as it has once needed, so the first rounds do not tell.
    ok(sizes[5] < 1.05 * sizes[2], `${sizes.map((bytes) => Math.round(bytes / 2 ** 20))} MiB`);
  }));

async function bytesIn(folder: string): Promise<number> {
  let bytes = 0;
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    bytes += isDirectory ? await bytesIn(`${folder}/${name}`) : (await Deno.stat(`${folder}/${name}`)).size;
  }
  return bytes;
}

Deno.test("no other user of the machine can look into the database and the mails", () =>
  withFolder(async (folder) => {
    await Deno.mkdir(`${folder}/database`, { mode: 0o755 });
    await using app = await startApp({ dataDir: folder });
    await register(app, "private@example.com");
    while (!await exists(`${folder}/outbox`)) await delay(20);
    for (const name of ["database", "outbox"]) {
      strictEqual((await Deno.stat(`${folder}/${name}`)).mode! & 0o777, 0o700, name);
    }
  }));

Deno.test("a folder with something else in it is not taken for an empty one", () =>
  withFolder(async (folder) => {
    await Deno.mkdir(`${folder}/database`);
    await Deno.writeTextFile(`${folder}/database/half_of_a_backup`, "precious");
    await using app = await startApp({ dataDir: folder }, { awaitReady: false });
    while (!app.output().includes("listening") && !app.output().includes("could not start")) await delay(20);
    strictEqual(await Deno.readTextFile(`${folder}/database/half_of_a_backup`), "precious");
  }));

Deno.test("the start that makes the embedded database gives back the memory that this takes", () =>
  withFolder(async (folder) => {
    await using app = await startApp({ dataDir: folder });
    const [held, peak] = [await memoryOf(app, "VmRSS"), await memoryOf(app, "VmHWM")];
    ok(held < 0.7 * peak, `${held} bytes of ${peak} are still held`);
  }));

async function newWriter(app: AppProcess, emails: string[]): Promise<Writer> {
  const email = `${crypto.randomUUID()}@example.com`;
  const { cookie } = await register(app, email);
  emails.push(email);
  return { cookie, tried: 0, acknowledged: 0 };
}

/** Kills the app once so many writes were acknowledged, while others are under way. */
async function killAfter(writes: number, app: AppProcess, start: (noteWrite: () => void) => Promise<void>[]) {
  let left = writes;
  await Promise.all(start(() => {
    if (--left === 0) app.kill("SIGKILL");
  }));
  await app.ended;
}

/** Writes until the app is gone. */
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

/** Registers until the app is gone. */
async function registerPeople(app: AppProcess, emails: string[], noteWrite: () => void): Promise<void> {
  while (true) {
    const email = `${crypto.randomUUID()}@example.com`;
    const status = await send(app, "POST", "/auth/register", { name: "Somebody", email, password: PASSWORD });
    if (status === null) return;
    strictEqual(status, 201);
    emails.push(email);
    noteWrite();
  }
}

/** The status, or null where no answer came. */
async function send(app: AppProcess, method: string, path: string, body: unknown, cookie = ""): Promise<number | null> {
  const headers = { "Content-Type": "application/json", Cookie: cookie };
  const response = await fetch(app.url + path, { method, body: JSON.stringify(body), headers }).catch(() => null);
  await response?.body?.cancel().catch(() => {});
  return response?.status ?? null;
}

/** A write that was not acknowledged may have come to pass or not. */
async function assertKept(app: AppProcess, writers: Writer[], emails: string[]): Promise<void> {
  const { data } = await (await fetch(`${app.url}/api/users?limit=500`)).json();
  const kept = new Set(data.map((user: { email: string }) => user.email));
  for (const email of emails) ok(kept.has(email), `${email} is lost`);
  for (const { cookie, tried, acknowledged } of writers) {
    const response = await fetch(`${app.url}/api/profile`, { headers: { Cookie: cookie } });
    strictEqual(response.status, 200);
    const written = Number((await response.json()).user.bio);
    ok(written >= acknowledged && written <= tried, `${written} was kept, ${acknowledged} acknowledged`);
  }
}
