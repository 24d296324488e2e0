import { deepStrictEqual, doesNotMatch, match, strictEqual } from "node:assert/strict";
import { sql } from "kysely";
import type { Db } from "../../db/schema.ts";
import { MINUTE_SECONDS } from "../../lib/duration.ts";
import { createDatabaseWatch } from "../../lib/jobs/database_watch.ts";
import { registerUser } from "../support/app/accounts.ts";
import { openTestApp, type TestApp } from "../support/app/test_app.ts";
import { withFailingDatabase } from "../support/database/failing_database.ts";
import { startMemoryS3 } from "../support/uploads/memory_s3.ts";

const READY = { status: "ok", db: "connected", store: "ok", mail: "ok" };
/** The result of a check of the store is used for less. */
const STORE_SECONDS = 6;

async function assertReady(app: TestApp, status: number, changes: Partial<typeof READY> = {}): Promise<void> {
  const response = await app.client().get("/api/health/ready");
  deepStrictEqual([response.status, await response.json()], [status, { ...READY, ...changes }]);
}

Deno.test("live and ready respond to GET and HEAD, without cookies and caches, whatever the client sends", async () => {
  await using app = await openTestApp();
  const { client } = await registerUser(app, "ann@example.com");
  for (const [path, body] of [["/api/health/live", { status: "ok" }], ["/api/health/ready", READY]] as const) {
    for (const [sender, method] of [[client, "GET"], [app.client(), "GET"], [client, "HEAD"]] as const) {
      const response = await sender.request(path, { method });
      strictEqual(response.status, 200, path);
      strictEqual(response.headers.get("Cache-Control"), "no-store");
      strictEqual(response.headers.get("Set-Cookie"), null);
      const text = await response.text();
      if (method === "HEAD") strictEqual(text, "");
      else deepStrictEqual(JSON.parse(text), body);
    }
  }
  doesNotMatch(app.logLines.join("\n"), /api\/health/);
});

Deno.test("without a database the service is live, but not ready", async () => {
  await using app = await openTestApp();
  await withFailingDatabase(app, new Error("gone"), async () => {
    await assertReady(app, 503, { status: "error", db: "disconnected", mail: "unknown" });
    strictEqual((await app.client().request("/api/health/ready", { method: "HEAD" })).status, 503);
    strictEqual((await app.client().get("/api/health/live")).status, 200);
  });
  match(app.logLines.join("\n"), /"level":"warn","message":"database unreachable"/);
  await assertReady(app, 200);
});

Deno.test("the log says once that the database is gone, and for how long when it is back", async () => {
  await using app = await openTestApp();
  const watch = createDatabaseWatch(app.services);
  await watch();
  await withFailingDatabase(app, new Error("gone"), async () => {
    for (let i = 0; i < 3; i++) await watch();
  });
  for (let i = 0; i < 3; i++) await watch();
  const lines = app.logLines.map((line) => JSON.parse(line));
  deepStrictEqual(lines.map(({ level, message, goneSeconds }) => [level, message, goneSeconds]), [
    ["error", "the database does not respond", undefined],
    ["warn", "the database is back", 0],
  ]);
});

Deno.test("a database that only reads is not ready", async () => {
  await using app = await openTestApp();
  await setReadOnly(app.services.db, true);
  await assertReady(app, 503, { status: "error", db: "read-only" });
  await setReadOnly(app.services.db, false);
  await assertReady(app, 200);
});

/** Changes all connections: there is one, or those that the pool opens later. */
async function setReadOnly(db: Db, isReadOnly: boolean): Promise<void> {
  const connections = Array.from({ length: 20 }, () =>
    db.connection().execute(async (connection) => {
      await sql`select set_config('default_transaction_read_only', ${isReadOnly ? "on" : "off"}, false)`.execute(
        connection,
      );
    }));
  await Promise.all(connections);
}

Deno.test("a store that fails degrades the service, is asked at most once in five seconds, and recovers", async () => {
  await using app = await openTestApp();
  let checks = 0;
  const { objects } = app.services;
  app.services.objects = {
    ...objects,
    check() {
      checks++;
      return Promise.reject(new Error("the disk is gone"));
    },
  };
  for (let i = 0; i < 5; i++) await assertReady(app, 200, { status: "degraded", store: "failed" });
  strictEqual(checks, 1);
  strictEqual(app.logLines.filter((line) => line.includes("object store failed")).length, 1);
  app.advance(STORE_SECONDS);
  await assertReady(app, 200, { status: "degraded", store: "failed" });
  strictEqual(checks, 2);
  app.services.objects = objects;
  await assertReady(app, 200);
});

Deno.test("a folder whose disk fails, and a bucket that refuses, fail", async () => {
  await using app = await openTestApp();
  const folder = `${app.services.config.dataDir}/objects`;
  await Deno.rename(folder, `${folder}.gone`);
  await Deno.writeTextFile(folder, "not a folder");
  await assertReady(app, 200, { status: "degraded", store: "failed" });
  await Deno.remove(folder);
  await Deno.rename(`${folder}.gone`, folder);
  app.advance(STORE_SECONDS);
  await assertReady(app, 200);
  for await (const { name } of Deno.readDir(`${folder}/.temporary`)) throw new Error(`${name} stayed`);

  await using refusing = Deno.serve({ port: 0, onListen() {} }, () => new Response(null, { status: 403 }));
  await using s3 = startMemoryS3();
  await using onBucket = await openTestApp(s3.env);
  await assertReady(onBucket, 200);
  deepStrictEqual(s3.requests.map((request) => request.split(" ")[0]), ["GET"]);
  await using refused = await openTestApp({ ...s3.env, S3_ENDPOINT: `http://127.0.0.1:${refusing.addr.port}` });
  await assertReady(refused, 200, { status: "degraded", store: "failed" });
});

Deno.test("an email is late after more than 15 minutes, until it is sent", async () => {
  await using app = await openTestApp();
  await registerUser(app, "ann@example.com");
  await assertReady(app, 200);
  app.advance(15 * MINUTE_SECONDS);
  await assertReady(app, 200);
  app.advance(1);
  await assertReady(app, 200, { status: "degraded", mail: "late" });
  await app.deliverMails();
  await assertReady(app, 200);
});
