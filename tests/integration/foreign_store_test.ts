import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { COMMANDS } from "../../lib/command_line/commands.ts";
import { runCommand } from "../../lib/command_line/run.ts";
import { DAY_SECONDS, SECOND_MS, secondsAfter } from "../../lib/duration.ts";
import { sweepStore } from "../../lib/uploads/store_sweep.ts";
import { reportUploads } from "../../lib/uploads/upload_report.ts";
import { openSharedTestApp } from "../support/app/test_app.ts";
import { isStored, later, openUploader, setRowsSince, sweepWholeStore } from "../support/uploads/upload_world.ts";

/** An empty or very old database that is used with the store of another one. */
const app = await openSharedTestApp();
app.advance((Date.now() - app.services.now().getTime()) / SECOND_MS);
const { services } = app;
const { db, objects } = services;

/** Stores objects of a user of another database, or of the given one. */
async function putWithoutRow(count: number, userId: string = crypto.randomUUID()): Promise<string[]> {
  const keys = Array.from({ length: count }, () => `uploads/${userId}/${crypto.randomUUID()}-a.txt`);
  await Promise.all(keys.map((key) => objects.put(key, new TextEncoder().encode("x"), "text/plain")));
  return keys;
}

/** Runs a command as an operator. */
async function run(name: string, input = {}, on = services): Promise<void> {
  ok("report" in await runCommand(on, { name, input }, { commands: COMMANDS }));
}

async function storedOf(keys: string[]): Promise<number> {
  return (await Promise.all(keys.map((key) => isStored(services, key)))).filter(Boolean).length;
}

Deno.test("few objects without a row are deleted, even if the database knows no other", async () => {
  const keys = await putWithoutRow(49);
  await sweepWholeStore(later(services, 3 * DAY_SECONDS));
  strictEqual(await storedOf(keys), 0);
});

Deno.test("a store whose objects are mostly unknown is left alone until an operator agrees", async () => {
  const user = await openUploader(app);
  const owned = await user.store();
  const keys = await putWithoutRow(50);
  const [adopted] = await putWithoutRow(1, user.id);
  const soon = later(services, 3 * DAY_SECONDS);
  app.logLines.length = 0;
  await sweepWholeStore(soon);
  strictEqual(await storedOf(keys), 50);
  strictEqual((await user.list()).length, 1, "no object gets a row either");
  const line = app.logLines.find((line) => line.includes("store not swept"))!;
  match(line, /"level":"error".*"known":2,"unknown":50,"isForeign":true/);
  const { value, text } = await reportUploads(soon);
  strictEqual((value as { isForeign: boolean }).isForeign, true);
  match(text, /None of these will be changed/);
  const { next_at } = await db.selectFrom("store_sweep").select("next_at").executeTakeFirstOrThrow();
  strictEqual(next_at.getTime(), soon.now().getTime() + DAY_SECONDS * SECOND_MS, "it looks again a day later");

  await run("uploads delete-most", { yes: true });
  await sweepWholeStore(soon);
  strictEqual(await storedOf(keys), 0);
  deepStrictEqual(await storedOf([owned.key, adopted]), 2);
  const { may_delete_most } = await db.selectFrom("store_sweep").select("may_delete_most").executeTakeFirstOrThrow();
  strictEqual(may_delete_most, false, "for one sweep only");
});

Deno.test("objects that are newer than a restored backup of the database get their rows again", async () => {
  const user = await openUploader(app);
  const sweepAfter = async (seconds: number, days: number) => {
    await setRowsSince(services, secondsAfter(services.now(), -10 * DAY_SECONDS));
    const [key] = await putWithoutRow(1, user.id);
    const swept = later(services, days * DAY_SECONDS);
    const next_at = secondsAfter(swept.now(), -seconds);
    await db.updateTable("store_sweep").set({ next_at, after_key: "" }).execute();
    while (await sweepStore(swept) > 0);
    return await isStored(services, key);
  };
  deepStrictEqual([await sweepAfter(DAY_SECONDS, 3), await sweepAfter(DAY_SECONDS + 1, 3)], [false, true]);
  strictEqual((await user.list()).length, 1);
});

Deno.test("objects that a database restored in another way does not know are kept if an operator says so", async () => {
  const user = await openUploader(app);
  await setRowsSince(services, secondsAfter(services.now(), -10 * DAY_SECONDS));
  const [kept] = await putWithoutRow(1, user.id);
  await run("uploads keep-unknown", {}, later(services, 3 * DAY_SECONDS));
  const { next_at } = await db.selectFrom("store_sweep").select("next_at").executeTakeFirstOrThrow();
  strictEqual(next_at > later(services, 4 * DAY_SECONDS).now(), true);
  while (await sweepStore(later(services, 6 * DAY_SECONDS)) > 0);
  strictEqual(await storedOf([kept]), 1);
});

Deno.test("objects without a row are deleted as long as the database knows more of the others", async () => {
  const user = await openUploader(app);
  await putWithoutRow(50, user.id);
  const keys = await putWithoutRow(50);
  await sweepWholeStore(later(services, 3 * DAY_SECONDS));
  strictEqual(await storedOf(keys), 0);
});
