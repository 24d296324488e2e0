import { deepStrictEqual, doesNotMatch, match, ok, rejects, strictEqual } from "node:assert/strict";
import { sql } from "kysely";
import { secondsAfter } from "../../lib/duration.ts";
import { deriveKey } from "../../lib/crypto/derived_key.ts";
import { runOnce } from "../../lib/programs/run_once.ts";
import { delay } from "../support/delay.ts";
import { openSharedTestApp } from "../support/test_app.ts";

const app = await openSharedTestApp();
const { services } = app;
const { appSecret } = services.config;
const once = (digest: string, run: () => Promise<string>, by = services) =>
  runOnce(by, { digest, run, holds: (outcome) => Promise.resolve(outcome !== OVER) });
const OVER = "over";
const never = () => Promise.reject(new Error("This must not run"));

Deno.test("the database and APP_SECRET together decrypt no outcome", async () => {
  const digest = "of what was submitted";
  await once(digest, () => Promise.resolve("a session token"));
  const row = await services.db.selectFrom("submissions").selectAll().executeTakeFirstOrThrow();
  for (const secret of [appSecret, appSecret + row.id]) doesNotMatch(await decrypt(row.outcome!, secret), /token/);
  match(await decrypt(row.outcome!, appSecret + digest), /token/, "the same submission decrypts it");
});

Deno.test("a waiting caller tries to claim once and then only polls, with growing pauses", async () => {
  const first = await begin("slow");
  const second = watch();
  const outcome = once("slow", never, second.services);
  const looks = await second.looked(4);
  first.finish("done");
  deepStrictEqual([await first.outcome, await outcome], ["done", "done"]);
  deepStrictEqual(new Set(second.statements.slice(1)), new Set(["SelectQueryNode"]));
  for (const [index, pauseMs] of [25, 50, 100].entries()) {
    const waitedMs = looks[index + 1] - looks[index];
    ok(waitedMs >= pauseMs - 2, `pause ${index} took ${waitedMs} ms`); // timers may be early by a bit
  }
});

Deno.test("another caller takes over ten seconds after the first one died", async () => {
  const dead = await begin("dead", unableToExtend());
  const second = watch();
  let taken = false;
  const outcome = once("dead", () => {
    taken = true;
    return Promise.resolve("taken over");
  }, second.services);
  app.advance(9);
  await second.looked(3);
  strictEqual(taken, false);
  app.advance(1);
  strictEqual(await outcome, "taken over");
  strictEqual(await once("dead", never), "taken over");
  dead.finish("");
  await dead.outcome;
});

Deno.test("instances whose clocks differ by 20 seconds run a submission once", async () => {
  const first = await begin("skewed", { ...services, now: () => secondsAfter(services.now(), -20) });
  const second = watch();
  const outcome = once("skewed", never, { ...second.services, now: () => secondsAfter(services.now(), 20) });
  await Promise.race([second.looked(2), outcome.catch(() => {})]);
  first.finish("done");
  deepStrictEqual([await first.outcome, await outcome], ["done", "done"]);
});

Deno.test("the next caller runs an action that has failed, at once", async () => {
  await rejects(once("failed", () => Promise.reject(new Error("out of order"))), /out of order/);
  strictEqual(await once("failed", () => Promise.resolve("done")), "done");
});

Deno.test("an action that takes longer than ten seconds does not run twice while its process is alive", async () => {
  const first = await begin("long");
  const second = watch();
  const outcome = once("long", never, second.services);
  const outcomes = Promise.allSettled([first.outcome, outcome]);
  app.advance(9);
  const isExtended = async () => {
    const claims = await services.db.selectFrom("submissions").selectAll().where("outcome", "is", null).execute();
    return claims.some(({ expires_at }) => expires_at > secondsAfter(services.now(), 9));
  };
  for (let look = 0; look < 100 && !await isExtended(); look++) await delay(50);
  app.advance(9);
  await Promise.race([second.looked(second.looks.length + 2), outcome.catch(() => {})]);
  first.finish("done");
  const value = "done";
  deepStrictEqual(await outcomes, [{ status: "fulfilled", value }, { status: "fulfilled", value }]);
});

Deno.test("a caller that fails after its claim has lapsed leaves the claim of its successor alone", async () => {
  const stalled = await begin("stalled", unableToExtend());
  app.advance(11);
  const second = await begin("stalled");
  stalled.finish(Promise.reject(new Error("too late")));
  await rejects(stalled.outcome, /too late/);
  await delay(100);
  const claims = services.db.selectFrom("submissions").selectAll().where("outcome", "is", null);
  strictEqual((await claims.execute()).length, 1);
  second.finish("done");
  strictEqual(await second.outcome, "done");
});

Deno.test("the caller gets its outcome even if the database cannot store it", async () => {
  const losing = { ...services };
  const run = () => {
    losing.db = services.db.withPlugin({
      transformQuery() {
        throw new Error("gone");
      },
      transformResult: ({ result }) => Promise.resolve(result),
    });
    return Promise.resolve("done");
  };
  strictEqual(await once("lost", run, losing), "done");
});

Deno.test("an outcome is reused for ten seconds, however long the action took", async () => {
  const { outcome, finish } = await begin("lengthy");
  app.advance(9);
  finish("done");
  strictEqual(await outcome, "done");
  app.advance(9);
  strictEqual(await once("lengthy", never), "done");
  app.advance(1);
  strictEqual(await once("lengthy", () => Promise.resolve("done anew")), "done anew");
});

Deno.test("an outcome that may not be reused is replaced, by one of the callers that find it", async () => {
  await once("over", () => Promise.resolve(OVER));
  let runs = 0;
  const run = () => Promise.resolve(`run ${++runs}`);
  deepStrictEqual(await Promise.all([once("over", run), once("over", run)]), ["run 1", "run 1"]);
});

/** Services of a process that stands still: its claim keeps the expiry that it had at first. */
function unableToExtend() {
  const stoppedAt = services.now();
  const databaseTime: typeof services.databaseTime = (offsetSeconds = 0) =>
    sql`${secondsAfter(stoppedAt, offsetSeconds)}::timestamptz`;
  return { ...services, databaseTime };
}

/** A first caller whose action runs until `finish`. */
async function begin(digest: string, by = services) {
  const [started, work] = [Promise.withResolvers<void>(), Promise.withResolvers<string>()];
  const outcome = once(digest, () => {
    started.resolve();
    return work.promise;
  }, by);
  await started.promise;
  return { outcome, finish: work.resolve };
}

/** Services that record the statements sent to the database. */
function watch() {
  const statements: string[] = [];
  const looks: number[] = [];
  const db = services.db.withPlugin({
    transformQuery({ node }) {
      statements.push(node.kind);
      if (node.kind === "SelectQueryNode") looks.push(performance.now());
      return node;
    },
    transformResult: ({ result }) => Promise.resolve(result),
  });
  return {
    services: { ...services, db },
    statements,
    looks,
    async looked(times: number) {
      while (looks.length < times) await delay(5);
      return looks;
    },
  };
}

/** Decrypts without authentication: AES-GCM encrypts like AES-CTR with a counter that starts at 2. */
async function decrypt(text: string, secret: string): Promise<string> {
  const [iv, sealed] = text.split(":").map((part) => Uint8Array.fromBase64(part));
  const algorithm = { name: "AES-CTR", length: 256 };
  const key = await deriveKey(secret, { name: "submissions", algorithm, usages: ["decrypt"] });
  const counter = new Uint8Array([...iv, 0, 0, 0, 2]);
  return new TextDecoder().decode(await crypto.subtle.decrypt({ name: "AES-CTR", counter, length: 32 }, key, sealed));
}
