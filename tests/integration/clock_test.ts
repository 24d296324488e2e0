import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { secondsAfter } from "../../lib/duration.ts";
import { checkAll } from "../../lib/installation/checks.ts";
import { clockProblem, createSharedClock } from "../../lib/installation/clock.ts";
import { openSharedTestApp } from "../support/app/test_app.ts";

const { services } = await openSharedTestApp();

/** The services on a machine whose clock is this many seconds ahead of the database's. */
function ahead(seconds: number) {
  const logged: string[] = [];
  const log = (level: string, message: string) => void logged.push(`${level}: ${message}`);
  return { services: { ...services, log, now: () => secondsAfter(services.now(), seconds) }, logged };
}

/** A clock of that machine. */
async function clockAhead(seconds: number) {
  const { services: { log, now, db, databaseTime }, logged } = ahead(seconds);
  const clock = createSharedClock(now);
  await clock.adjust({ db, databaseTime, log });
  return { clock, logged };
}

Deno.test("a clock that is more than 30 seconds off is an error in the log", async () => {
  for (const seconds of [0, 20, -20]) {
    deepStrictEqual((await clockAhead(seconds)).logged, [], String(seconds));
  }
  for (const [seconds, direction] of [[90, "ahead of"], [-90, "behind"]] as const) {
    const { logged } = await clockAhead(seconds);
    strictEqual(logged.length, 1);
    match(logged[0], new RegExp(`^error: the clock of this machine is \\d+ seconds ${direction} that of the database`));
  }
});

Deno.test("instances whose clocks differ by hours have the same time, which does not jump by less than a second", async () => {
  const { db, databaseTime } = services;
  const databaseNow = async () => (await db.selectNoFrom(databaseTime().as("time")).executeTakeFirstOrThrow()).time;
  for (const seconds of [10_800, 90, -90]) {
    const { clock } = await clockAhead(seconds);
    ok(Math.abs(clock.now().getTime() - (await databaseNow()).getTime()) < 2_000, String(seconds));
  }
  const { clock } = await clockAhead(0.5);
  ok(Math.abs(clock.now().getTime() - services.now().getTime() - 500) < 100);
});

Deno.test("clocks may be 30 seconds apart", () => {
  deepStrictEqual([30, 31, -30, -31].map((seconds) => clockProblem(seconds) === null), [true, false, true, false]);
});

Deno.test("foyer check says that a clock is wrong", async () => {
  const database = async (seconds: number) =>
    (await checkAll(ahead(seconds).services, {})).find(({ part }) => part === "database")!;
  strictEqual((await database(0)).isGood, true);
  const { isGood, text } = await database(10_800);
  strictEqual(isGood, false);
  match(text, /10800 seconds ahead/);
});
