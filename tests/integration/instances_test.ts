import { deepStrictEqual, doesNotMatch, match, notStrictEqual, rejects, strictEqual } from "node:assert/strict";
import { ConfigError } from "../../lib/config/config.ts";
import { registerInstance } from "../../lib/jobs/instances.ts";
import { sweepExpiredRows } from "../../lib/jobs/expired_rows.ts";
import { HOUR_SECONDS } from "../../lib/duration.ts";
import { createDiskStore } from "../../lib/storage/disk_store.ts";
import { withFolder } from "../support/database/engines.ts";
import { openSharedTestApp } from "../support/app/test_app.ts";

const app = await openSharedTestApp();
const { services } = app;
const shared = { ...services.config, databaseUrl: "postgres://db/foyer" };
Deno.test.afterEach(async () => void await services.db.deleteFrom("instances").execute());

function start(storeId: string, config = shared) {
  return registerInstance({
    ...services,
    config,
    objects: { ...services.objects, identify: () => Promise.resolve(storeId) },
  });
}

Deno.test("instances with one store start beside each other", async () => {
  await start("folder a");
  await start("folder a");
});

Deno.test("an instance refuses to start beside a live one with another store, and says what to set", async () => {
  await start("folder a");
  for (let i = 0; i < 2; i++) await rejects(start("bucket b"), /files in folder a, this one in bucket b.*DATA_DIR/);
  await start("folder a");
});

const OLD = "the secret that all instances had before";
const NEW = "the secret that all instances have now";
/** Secrets of a live instance, and of one that starts beside it. */
const SECRETS: [what: string, live: string, own: Partial<typeof shared>, starts: boolean][] = [
  ["the same", NEW, { appSecret: NEW }, true],
  ["another one", OLD, { appSecret: NEW }, false],
  [
    "a new one, with the other as a previous one",
    OLD,
    { appSecret: NEW, previousAppSecrets: ["x".repeat(32), OLD] },
    true,
  ],
  ["one that the live instance has replaced", NEW, { appSecret: OLD }, false],
];

for (const [what, live, own, starts] of SECRETS) {
  Deno.test(`an instance that has ${what} as APP_SECRET ${starts ? "starts" : "does not start"} beside a live one`, async () => {
    await start("folder a", { ...shared, appSecret: live });
    const attempt = start("folder a", { ...shared, ...own });
    if (starts) await attempt;
    else await rejects(attempt, /another APP_SECRET.*APP_SECRET_PREVIOUS/);
    const rows = await services.db.selectFrom("instances").select("secret_fingerprint").execute();
    for (const { secret_fingerprint } of rows) doesNotMatch(secret_fingerprint!, /secret/);
  });
}

Deno.test("an instance of an older release, which shows no fingerprint, is no obstacle", async () => {
  const row = { id: "old", store_id: "folder a", seen_at: services.now() };
  await services.db.insertInto("instances").values(row).execute();
  await start("folder a");
});

Deno.test("the refusal names the path of the folder in which this instance stores files", async () => {
  await start("folder a");
  const refusal = (config: Partial<typeof shared>) =>
    start("folder b", { ...shared, ...config }).then(() => "started", String);
  match(await refusal({ dataDir: "/mnt/mine" }), /this one in folder b \(\/mnt\/mine\/objects\)\./);
  match(await refusal({ s3: {} as never }), /this one in folder b\./);
});

Deno.test("an instance that has not been seen for a minute does not count", async () => {
  const { show } = await start("folder a");
  app.advance(40);
  await show();
  app.advance(59);
  await rejects(start("folder b"), ConfigError);
  app.advance(1);
  await start("folder b");
  await rejects(start("folder a"));
});

Deno.test("an instance that has stopped does not count", async () => {
  const { leave } = await start("folder a");
  await leave();
  await start("folder b");
});

Deno.test("of instances with different stores that start at the same time, one starts", async () => {
  const starts = await Promise.allSettled(["folder a", "folder b"].map((id) => start(id)));
  deepStrictEqual(starts.map(({ status }) => status).sort(), ["fulfilled", "rejected"]);
});

Deno.test("an instance with the embedded database is alone, and is not registered", async () => {
  const { show, leave } = await start("folder a", { ...shared, databaseUrl: undefined as never });
  await show();
  await leave();
  strictEqual((await services.db.selectFrom("instances").select("id").execute()).length, 0);
});

Deno.test("the rows of instances that ended long ago are deleted", async () => {
  await start("folder a");
  const count = async () => (await services.db.selectFrom("instances").select("id").execute()).length;
  app.advance(HOUR_SECONDS - 1);
  await sweepExpiredRows(services);
  strictEqual(await count(), 1);
  app.advance(1);
  await sweepExpiredRows(services);
  strictEqual(await count(), 0);
});

Deno.test("all stores of a folder have one id, which is no object, and another folder has another", () =>
  withFolder(async (folder) => {
    const open = (name: string) =>
      createDiskStore({ ...services.config, directory: `${folder}/${name}`, now: services.now });
    const stores = await Promise.all(["a", "a", "a", "b"].map(open));
    const [first, ...others] = await Promise.all(stores.map((store) => store.identify()));
    match(first, /^folder [0-9a-f-]{36}$/);
    deepStrictEqual(others.slice(0, 2), [first, first]);
    notStrictEqual(others[2], first);
    deepStrictEqual(await Array.fromAsync(stores[0].list()), []);
  }));
