import { deepStrictEqual, doesNotMatch, match, ok, strictEqual } from "node:assert/strict";
import { sql } from "kysely";
import { openDatabase } from "../../db/connection.ts";
import { PASSWORD } from "../support/app/accounts.ts";
import { type AppProcess, buildApp, startApp, type StartOptions } from "../support/processes/app_process.ts";
import { withFolder } from "../support/database/engines.ts";
import { quarters } from "../support/images/pictures.ts";
import { register, type Session } from "../support/processes/process_session.ts";
import { presign, put, statusOf, temporaryFiles } from "../support/processes/process_uploads.ts";
import { mayMount, mountFragileDisk, mountSmallDisk } from "../support/processes/small_disk.ts";
import { waitFor } from "../support/wait_for.ts";

const MEBIBYTE = 1024 * 1024;
const DISK_MEBIBYTES = 8;
const DATABASE_DISK_MEBIBYTES = 128;
/** For the database, its reserve and some uploads. */
const SHARED_DISK_MEBIBYTES = 200;
/** The size of a file of the database's log. */
const LOG_FILE_BYTES = 16 * MEBIBYTE;
/** Maximum time until a caller gets an error. */
const PATIENCE_MS = 3_000;
const ignore = !await mayMount();
const ignoreFragile = ignore || !await mayMount(mountFragileDisk);
await buildApp();

async function assertUnavailable(answer: Promise<Response>, retryAfter = "30"): Promise<void> {
  const response = await answer;
  const { message, ...body } = await response.json();
  deepStrictEqual([response.status, response.headers.get("Retry-After")], [503, retryAfter]);
  deepStrictEqual(body, { code: "UNAVAILABLE", error: message, details: {} });
}

/** Health and reading work as usual. */
async function assertOthersServed(session: Session): Promise<void> {
  const { status, db } = await (await session.request("/api/health")).json();
  deepStrictEqual({ status, db }, { status: "ok", db: "connected" });
  strictEqual(await statusOf(session.request("/api/profile")), 200);
}

/** Returns the paths of the stored objects. */
async function objectsIn(folder: string): Promise<string[]> {
  const paths: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    if (isDirectory) paths.push(...await objectsIn(`${folder}/${name}`));
    else if (name !== "filler") paths.push(`${folder}/${name}`);
  }
  return paths;
}

Deno.test({
  name: "a full or read-only disk refuses uploads without leaving files behind, then accepts them again",
  ignore,
  fn: () =>
    withFolder(async (folder) => {
      await using disk = await mountSmallDisk(`${folder}/objects`, DISK_MEBIBYTES);
      await using app = await startApp({ dataDir: folder });
      const session = await register(app, "uploader@example.com");
      const picture = new Uint8Array(await quarters().png().toBuffer());
      const kept = await presign(session);
      strictEqual(await statusOf(put(kept, new Uint8Array(MEBIBYTE))), 200);
      const before = await objectsIn(`${folder}/objects`);
      const faults = [
        { begin: () => disk.fill(), end: () => disk.free() },
        { begin: () => disk.setReadOnly(true), end: () => disk.setReadOnly(false) },
        // Large enough for the start of the upload, but not for all of it.
        { begin: () => Promise.resolve(), end: () => Promise.resolve(), sizeMebibytes: DISK_MEBIBYTES + 1 },
      ];
      for (const { begin, end, sizeMebibytes = 1 } of faults) {
        await begin();
        const refused = await presign(session);
        await assertUnavailable(put(refused, new Uint8Array(sizeMebibytes * MEBIBYTE)));
        strictEqual(await statusOf(fetch(refused.publicUrl)), 404);
        if (sizeMebibytes === 1) await assertUnavailable(session.uploadAvatar(picture, "image/png"));
        await assertUnavailable(put(kept, new Uint8Array(sizeMebibytes * MEBIBYTE)));
        strictEqual((await (await fetch(kept.publicUrl)).bytes()).length, MEBIBYTE);
        await assertOthersServed(session);
        deepStrictEqual(await objectsIn(`${folder}/objects`), before);
        await end();
        strictEqual(await statusOf(put(kept, new Uint8Array(MEBIBYTE))), 200);
      }
      strictEqual(await statusOf(session.uploadAvatar(picture, "image/png")), 200);
    }),
});

Deno.test({
  name: "uploads are refused before they fill the disk of the embedded database, and accounts keep working",
  ignore,
  fn: () =>
    withFolder(async (folder) => {
      await using _disk = await mountSmallDisk(`${folder}/data`, SHARED_DISK_MEBIBYTES);
      await using app = await startApp({ dataDir: `${folder}/data` });
      const session = await register(app, "before@example.com");
      const picture = new Uint8Array(await quarters().png().toBuffer());
      const video = new Uint8Array(8 * MEBIBYTE);
      const fillUp = async () => {
        let upload = await presign(session);
        let last = upload;
        while (await statusOf(put(upload, video)) === 200) {
          last = upload;
          upload = await presign(session);
        }
        return { refused: upload, last };
      };
      const { refused, last } = await fillUp();
      // The space that is left is less than a video, but may be enough for small files.
      while (await statusOf(put(await presign(session), new Uint8Array(64 * 1024))) === 200);
      await assertUnavailable(put(refused, video));
      await assertUnavailable(session.uploadAvatar(picture, "image/png"));
      const form = new FormData();
      form.set("file", new File([picture], "me.png", { type: "image/png" }));
      const page = await session.request("/uploads", { method: "POST", body: form });
      deepStrictEqual([page.status, page.headers.get("Retry-After")], [503, "30"]);
      await page.body?.cancel();
      deepStrictEqual(await temporaryFiles(`${folder}/data`), []);

      for (let number = 0; number < 20; number++) await register(app, `during${number}@example.com`);
      strictEqual(
        await statusOf(session.post("/auth/login", { email: "before@example.com", password: "Wrong-1-horse" })),
        401,
      );
      await assertOthersServed(session);
      strictEqual(app.output().match(/disk reserve reached/g)?.length, 1);

      await Deno.remove(`${folder}/data/objects/${new URL(last.publicUrl).pathname.slice("/files/".length)}`);
      strictEqual(await statusOf(put(await presign(session), new Uint8Array(MEBIBYTE))), 200);
    }),
});

Deno.test({
  name: "a full disk under the embedded database causes 503, but no acknowledged registration is lost",
  ignore,
  fn: () =>
    withFolder(async (folder) => {
      await using disk = await mountSmallDisk(`${folder}/data`, DATABASE_DISK_MEBIBYTES);
      const acknowledged: string[] = [];
      {
        await using app = await startApp({ dataDir: `${folder}/data` });
        const tryRegister = async (email: string) => {
          const body = JSON.stringify({ name: "Ada", email, password: PASSWORD });
          const headers = { "Content-Type": "application/json" };
          const response = await fetch(`${app.url}/auth/register`, { method: "POST", body, headers });
          const { code } = await response.json();
          if (response.status === 201) acknowledged.push(email);
          return code ?? response.status;
        };
        strictEqual(await tryRegister("before@example.com"), 201);
        await disk.fill();
        let answer = 201;
        for (let number = 0; answer === 201; number++) answer = await tryRegister(`full${number}@example.com`);
        strictEqual(answer, "UNAVAILABLE");
        strictEqual(await statusOf(fetch(`${app.url}/api/users`)), 200);
        deepStrictEqual(await readinessOf(app), [503, "read-only"]);
        await disk.free();
        deepStrictEqual(await readinessOf(app), [200, "connected"]);
        strictEqual(await tryRegister("after@example.com"), 201);
        app.kill("SIGKILL");
        await app.ended;
      }
      await using app = await startApp({ dataDir: `${folder}/data` });
      const { data } = await (await fetch(`${app.url}/api/users?limit=500`)).json();
      deepStrictEqual(data.map(({ email }: { email: string }) => email).sort(), acknowledged.sort());
    }),
});

async function readinessOf(app: AppProcess): Promise<[number, string]> {
  const response = await fetch(`${app.url}/api/health/ready`);
  return [response.status, (await response.json()).db];
}

Deno.test({
  name: "a start on a full disk is refused with the free space, and works once there is room",
  ignore,
  fn: () =>
    withFolder(async (folder) => {
      await using disk = await mountSmallDisk(`${folder}/data`, DATABASE_DISK_MEBIBYTES);
      {
        await using app = await startApp({ dataDir: `${folder}/data` });
        await register(app, "before@example.com");
        await disk.fill();
        app.kill("SIGKILL");
        await app.ended;
      }
      const started = await startApp({ dataDir: `${folder}/data` }).then(() => "", String);
      match(started, /its disk is full|Its disk is full: only 0\.\d MB are free/);
      doesNotMatch(started, /"level":"error"/);
      await disk.free();
      await using app = await startApp({ dataDir: `${folder}/data` });
      const { data } = await (await fetch(`${app.url}/api/users`)).json();
      strictEqual(data.length, 1);
    }),
});

Deno.test({
  name:
    "a disk that becomes read-only under the embedded database causes 503 until it is repaired and the service restarted",
  ignore: ignoreFragile,
  fn: () =>
    withFolder(async (folder) => {
      await using disk = await mountFragileDisk(`${folder}/data`, DATABASE_DISK_MEBIBYTES);
      {
        await using app = await startApp({ dataDir: `${folder}/data` });
        const session = await register(app, "before@example.com");
        await waitFor("the email, which is a change too", async () =>
          (await Array.fromAsync(Deno.readDir(`${folder}/data/outbox`)).catch(() => [])).length > 0);
        strictEqual(await setBio(session, "before"), 200);
        await disk.flush(); // the system does this every few seconds; the embedded database does not wait for it
        await disk.fail();
        // This table has not been opened yet: the request is refused, and the database still works.
        await assertUnavailable(session.post("/auth/login", { email: "before@example.com", password: PASSWORD }), "2");
        await assertOthersServed(session);
        // This changes only what has been opened, so it is the log that cannot be written.
        strictEqual(await setBio(session, "during"), 503);
        await assertOutOfOrder(app, session);
      }
      await disk.repair();
      await using app = await startApp({ dataDir: `${folder}/data` });
      await assertWell(app, ["before"]);
    }),
});

Deno.test({
  name: "a disk too full for another log file of the embedded database causes 503 until a restart",
  ignore,
  fn: () =>
    withFolder(async (folder) => {
      await using disk = await mountSmallDisk(`${folder}/data`, DATABASE_DISK_MEBIBYTES);
      // The start takes half of it. A second log file would take thousands of changes.
      const current = await fillLogFile(`${folder}/data/database`, { leftBytes: MEBIBYTE });
      const bios: string[] = [];
      {
        await using app = await startApp({ dataDir: `${folder}/data` });
        const session = await register(app, "before@example.com");
        // Opening the database creates one in advance.
        const log = `${folder}/data/database/pg_wal`;
        for await (const { name, isFile } of Deno.readDir(log)) {
          if (isFile && name > current) await Deno.remove(`${log}/${name}`);
        }
        await disk.fill(2 * MEBIBYTE); // tables can grow
        for (let status = 200, number = 0; status === 200; number++) {
          const bio = `${number} ${"x".repeat(480)}`;
          status = await setBio(session, bio);
          if (status === 200) bios.push(bio);
        }
        ok(bios.length < 5_000, "the start has needed another log file");
        await assertOutOfOrder(app, session);
      }
      await disk.free();
      await using app = await startApp({ dataDir: `${folder}/data` });
      await assertWell(app, bios.slice(-1));
    }),
});

/** Creates a database whose log soon needs another file. Returns the name of its current one. */
async function fillLogFile(directory: string, { leftBytes }: { leftBytes: number }): Promise<string> {
  const { db, migrate, close } = await openDatabase({ directory, log() {} });
  await migrate();
  const { rows: [{ used, name }] } = await sql<{ used: number; name: string }>`
    select (pg_current_wal_lsn() - '0/0'::pg_lsn)::bigint % ${LOG_FILE_BYTES} as used,
      pg_walfile_name(pg_current_wal_lsn()) as name
  `.execute(db);
  const bytes = LOG_FILE_BYTES - Number(used) - leftBytes;
  await sql`select pg_logical_emit_message(false, 'test', repeat('x', ${bytes}::int))`.execute(db);
  await close();
  return name;
}

async function setBio(session: Session, bio: string): Promise<number> {
  const headers = { "Content-Type": "application/json" };
  const signal = AbortSignal.timeout(PATIENCE_MS);
  return await statusOf(
    session.request("/api/profile", { method: "PUT", headers, signal, body: JSON.stringify({ bio }) }),
  );
}

/** Every request gets an error in time, health reports the problem, and the process still ends cleanly. */
async function assertOutOfOrder(app: AppProcess, session: Session): Promise<void> {
  for (let turn = 0; turn < 2; turn++) {
    const signal = AbortSignal.timeout(PATIENCE_MS);
    const body = JSON.stringify({ name: "Ada", email: "during@example.com", password: PASSWORD });
    const headers = { "Content-Type": "application/json" };
    await assertUnavailable(fetch(`${app.url}/auth/register`, { method: "POST", body, headers, signal }), "2");
    await assertUnavailable(session.request("/api/profile", { signal }), "2");
    const health = await fetch(`${app.url}/api/health`, { signal });
    strictEqual(health.status, 503);
    strictEqual((await health.json()).db, "disconnected");
    const page = await fetch(`${app.url}/users`, { headers: { Cookie: session.cookie }, signal });
    strictEqual(page.status, 503);
    match(await page.text(), /We’ll be right back/);
  }
  const stoppedAt = performance.now();
  app.kill("SIGTERM");
  strictEqual(await app.ended, 0);
  ok(performance.now() - stoppedAt < PATIENCE_MS);
  match(app.output(), /The embedded database has crashed/);
  ok(!/uncaught error|unhandled rejection/.test(app.output()));
}

/** The registered user still exists, with one of these bios, and registration works. */
async function assertWell(app: AppProcess, bios: string[]): Promise<void> {
  const { data } = await (await fetch(`${app.url}/api/users`)).json();
  deepStrictEqual(data.map(({ email }: { email: string }) => email), ["before@example.com"]);
  const user = await (await fetch(`${app.url}/api/users/${data[0].id}`)).json();
  ok(bios.includes(user.data.bio), user.data.bio);
  await register(app, "after@example.com");
}

Deno.test("after parts of the store were deleted, the remaining objects are served and new uploads accepted", () =>
  withFolder(async (folder) => {
    await using app = await startApp({ dataDir: folder });
    const session = await register(app, "uploader@example.com");
    const upload = await presign(session);
    const objects = `${folder}/objects`;
    const temporary = `${objects}/.temporary`;

    strictEqual(await statusOf(put(upload, "film")), 200);
    await Deno.remove((await objectsIn(objects))[0]);
    const missing = await fetch(upload.publicUrl, { headers: { Accept: "application/json" } });
    strictEqual(missing.status, 404);
    await missing.body?.cancel();

    for (const path of [temporary, objects]) {
      await Deno.remove(path, { recursive: true });
      strictEqual(await statusOf(fetch(upload.publicUrl)), 404);
      await assertOthersServed(session);
      strictEqual(await statusOf(put(upload, "film")), 200, path);
      strictEqual(await (await fetch(upload.publicUrl)).text(), "film");
      deepStrictEqual(await temporaryFiles(folder), []);

      const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
      const writer = writable.getWriter();
      const answer = put(upload, readable);
      await writer.write(new TextEncoder().encode("half a "));
      await waitFor(
        "its first bytes",
        async () => (await temporaryFiles(folder)).some(([, sizeBytes]) => sizeBytes > 0),
      );
      await Deno.remove(path, { recursive: true });
      await writer.write(new TextEncoder().encode("film"));
      await writer.close();
      await assertUnavailable(answer);
      strictEqual(await statusOf(fetch(upload.publicUrl)), path === objects ? 404 : 200);
    }
  }));

/** Returns the one line that a failed start prints. */
async function startRefusal(options: StartOptions): Promise<string> {
  await using app = await startApp({ ...options, createsDatabase: true }, { awaitReady: false });
  strictEqual(await app.ended, 1, app.output());
  const lines = app.output().trimEnd().split("\n");
  strictEqual(lines.length, 1, app.output());
  return lines[0];
}

Deno.test("the service does not start with a folder that it cannot write to, and prints one message", () =>
  withFolder(async (folder) => {
    // Root may write despite the permissions, unless it lacks the capability to override them.
    const through = Deno.uid() === 0 ? "setpriv --bounding-set=-dac_override" : undefined;
    const forbidden = `${folder}/forbidden`;
    await Deno.mkdir(forbidden, { mode: 0o555 });
    await Deno.writeTextFile(`${folder}/file`, "");
    const refusals = await Promise.all([
      startRefusal({ dataDir: forbidden, through }),
      startRefusal({ dataDir: `${forbidden}/below`, through }),
      startRefusal({ dataDir: `${folder}/file` }),
    ]);
    for (const line of refusals) match(line, /^DATA_DIR cannot be written to: \/\S+: .*(denied|exists|directory)/);
  }));

Deno.test({
  name: "the service does not start on a read-only disk, and prints one message",
  ignore,
  fn: () =>
    withFolder(async (folder) => {
      await using disk = await mountSmallDisk(`${folder}/data`, 1);
      await disk.setReadOnly(true);
      match(await startRefusal({ dataDir: `${folder}/data` }), /^DATA_DIR cannot be written to: .*Read-only/);
    }),
});
