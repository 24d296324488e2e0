import { deepStrictEqual, doesNotMatch, match, rejects, strictEqual } from "node:assert/strict";
import { sql } from "kysely";
import { AppError } from "../../lib/errors/errors.ts";
import { secondsAfter } from "../../lib/duration.ts";
import { deriveKey } from "../../lib/crypto/derived_key.ts";
import { runOnce } from "../../lib/web/idempotency/idempotency.ts";
import { delay } from "../support/delay.ts";
import { openSharedTestApp } from "../support/app/test_app.ts";

const app = await openSharedTestApp();
const { services } = app;
const { appSecret } = services.config;
const OUTDATED = "outdated";
/** The interval at which this test looks for polls. The code under test never pauses for exactly as long. */
const WATCH_MS = 5;
const stillRunning = () => new AppError("UNAVAILABLE", { reason: "running", retryAfterSeconds: 1 });
const never = () => Promise.reject(new Error("This must not run"));

/** Runs an action whose result is a text. Failures and outdated results are not replayed. */
function once(key: string, run: () => Promise<string>, by = services): Promise<string> {
  return runOnce<string, string>(by, {
    key,
    keptSeconds: 10,
    waitSeconds: 10,
    stillRunning,
    run,
    record: (result) => Promise.resolve(result.status === "fulfilled" ? result.value : null),
    replay: (recorded) => Promise.resolve(recorded === OUTDATED ? null : recorded),
  });
}

Deno.test("the database and APP_SECRET together decrypt no record", async () => {
  const key = "the key of an action";
  await once(key, () => Promise.resolve("a session token"));
  const row = await services.db.selectFrom("submissions").selectAll().executeTakeFirstOrThrow();
  for (const secret of [appSecret, appSecret + row.id]) doesNotMatch(await decrypt(row.outcome!, secret), /token/);
  match(await decrypt(row.outcome!, appSecret + key), /token/, "the key decrypts it");
});

Deno.test("the first caller gets the result itself, and the next one gets it from the record", async () => {
  const first = { text: "done", run: () => "a function, which JSON leaves out" };
  const action = {
    key: "itself",
    keptSeconds: 10,
    waitSeconds: 10,
    stillRunning,
    run: () => Promise.resolve(first),
    record: () => Promise.resolve({ text: first.text }),
    replay: ({ text }: { text: string }) => Promise.resolve({ ...first, text: `${text} before` }),
  };
  strictEqual(await runOnce(services, action), first);
  deepStrictEqual(await runOnce(services, action), { ...first, text: "done before" });
});

Deno.test("a recorded error is thrown again, and the first caller gets the error itself", async () => {
  const error = new Error("refused", { cause: "secret" });
  const action = {
    key: "refused",
    keptSeconds: 10,
    waitSeconds: 10,
    stillRunning,
    run: () => Promise.reject(error),
    record: () => Promise.resolve("refused before"),
    replay: (recorded: string) => Promise.reject(new Error(recorded)),
  };
  await rejects(runOnce(services, action), (thrown) => thrown === error);
  await rejects(runOnce(services, action), /refused before/);
});

Deno.test("a waiting caller tries to claim once and then only polls, at growing intervals", async () => {
  const first = await begin("slow");
  const second = watch();
  using pauses = recordPauses();
  const result = once("slow", never, second.services);
  await second.polled(4);
  first.finish("done");
  deepStrictEqual([await first.result, await result], ["done", "done"]);
  deepStrictEqual(new Set(second.statements.slice(1)), new Set(["SelectQueryNode"]));
  deepStrictEqual(pauses.list.slice(0, 3), [25, 50, 100]);
});

Deno.test("another caller takes over ten seconds after the process of the first one died", async () => {
  const dead = await begin("dead", unableToExtend());
  const second = watch();
  let taken = false;
  const result = once("dead", () => {
    taken = true;
    return Promise.resolve("taken over");
  }, second.services);
  app.advance(9);
  await second.polled(3);
  strictEqual(taken, false);
  app.advance(1);
  strictEqual(await result, "taken over");
  strictEqual(await once("dead", never), "taken over");
  dead.finish("");
  await dead.result;
});

Deno.test("instances whose clocks differ by 20 seconds run an action once", async () => {
  const first = await begin("skewed", { ...services, now: () => secondsAfter(services.now(), -20) });
  const second = watch();
  const result = once("skewed", never, { ...second.services, now: () => secondsAfter(services.now(), 20) });
  await Promise.race([second.polled(2), result.catch(() => {})]);
  first.finish("done");
  deepStrictEqual([await first.result, await result], ["done", "done"]);
});

Deno.test("an action that failed runs again at once for the next caller", async () => {
  await rejects(once("failed", () => Promise.reject(new Error("out of order"))), /out of order/);
  strictEqual(await once("failed", () => Promise.resolve("done")), "done");
});

Deno.test("an action that takes longer than ten seconds does not run twice while its process is alive", async () => {
  const first = await begin("long");
  const second = watch();
  const result = once("long", never, second.services);
  const results = Promise.allSettled([first.result, result]);
  app.advance(9);
  const isExtended = async () => {
    const claims = await services.db.selectFrom("submissions").selectAll().where("outcome", "is", null).execute();
    return claims.some(({ expires_at }) => expires_at > secondsAfter(services.now(), 9));
  };
  for (let poll = 0; poll < 100 && !await isExtended(); poll++) await delay(50);
  app.advance(9);
  await Promise.race([second.polled(second.polls.length + 2), result.catch(() => {})]);
  first.finish("done");
  const value = "done";
  deepStrictEqual(await results, [{ status: "fulfilled", value }, { status: "fulfilled", value }]);
});

Deno.test("a caller that fails after its claim lapsed does not delete the claim of its successor", async () => {
  const stalled = await begin("stalled", unableToExtend());
  app.advance(11);
  const second = await begin("stalled");
  stalled.finish(Promise.reject(new Error("too late")));
  await rejects(stalled.result, /too late/);
  await delay(100);
  const claims = services.db.selectFrom("submissions").selectAll().where("outcome", "is", null);
  strictEqual((await claims.execute()).length, 1);
  second.finish("done");
  strictEqual(await second.result, "done");
});

Deno.test("a caller whose claim lapsed undoes its effect if another one has run the action since", async () => {
  const [isStarted, isReady] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const act = (by: typeof services, client: string, ready: Promise<void>) =>
    runOnce<string, string>(by, {
      key: "undone",
      keptSeconds: 10,
      waitSeconds: 10,
      stillRunning,
      run: async (store) => {
        isStarted.resolve();
        await ready;
        return await by.db.transaction().execute(async (trx) => {
          const values = { policy: "effect", client, requests: 1, window_ends_at: services.now() };
          await trx.insertInto("rate_limits").values(values).execute();
          await store(trx, client);
          return client;
        });
      },
      record: never,
      replay: (recorded) => Promise.resolve(recorded),
    });
  const stalled = act(unableToExtend(), "the stalled one", isReady.promise);
  await isStarted.promise;
  app.advance(11);
  strictEqual(await act(services, "the next one", Promise.resolve()), "the next one");
  isReady.resolve();
  strictEqual(await stalled, "the next one");
  const effects = services.db.selectFrom("rate_limits").select("client").where("policy", "=", "effect");
  deepStrictEqual(await effects.execute(), [{ client: "the next one" }]);
});

Deno.test("the caller gets its result even if the database cannot store it", async () => {
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

Deno.test("a result is replayed for ten seconds, however long the action took", async () => {
  const { result, finish } = await begin("lengthy");
  app.advance(9);
  finish("done");
  strictEqual(await result, "done");
  app.advance(9);
  strictEqual(await once("lengthy", never), "done");
  app.advance(1);
  strictEqual(await once("lengthy", () => Promise.resolve("done again")), "done again");
});

Deno.test("an outdated result is replaced by one of the callers that find it", async () => {
  await once(OUTDATED, () => Promise.resolve(OUTDATED));
  let runs = 0;
  const run = () => Promise.resolve(`run ${++runs}`);
  deepStrictEqual(await Promise.all([once(OUTDATED, run), once(OUTDATED, run)]), ["run 1", "run 1"]);
});

/** Services of a suspended process, which cannot extend its claim. */
function unableToExtend() {
  const stoppedAt = services.now();
  const databaseTime: typeof services.databaseTime = (offsetSeconds = 0) =>
    sql`${secondsAfter(stoppedAt, offsetSeconds)}::timestamptz`;
  return { ...services, databaseTime };
}

/** Starts an action that runs until `finish`. */
async function begin(key: string, by = services) {
  const [started, work] = [Promise.withResolvers<void>(), Promise.withResolvers<string>()];
  const result = once(key, () => {
    started.resolve();
    return work.promise;
  }, by);
  await started.promise;
  return { result, finish: work.resolve };
}

/** Services that record the statements sent to the database. */
function watch() {
  const statements: string[] = [];
  const polls: number[] = [];
  const db = services.db.withPlugin({
    transformQuery({ node }) {
      statements.push(node.kind);
      if (node.kind === "SelectQueryNode") polls.push(performance.now());
      return node;
    },
    transformResult: ({ result }) => Promise.resolve(result),
  });
  return {
    services: { ...services, db },
    statements,
    polls,
    /** Resolves after this many polls. */
    async polled(times: number) {
      while (polls.length < times) await delay(WATCH_MS);
      return polls;
    },
  };
}

/** Records the delays of the timers that the code under test starts, until it is disposed of. */
function recordPauses() {
  const { setTimeout } = globalThis;
  const list: number[] = [];
  globalThis.setTimeout = ((act: () => void, milliseconds?: number) => {
    // What runs beside it lets others go first, without a pause.
    if (milliseconds !== undefined && milliseconds !== WATCH_MS) list.push(milliseconds);
    return setTimeout(act, milliseconds);
  }) as typeof setTimeout;
  return {
    list,
    [Symbol.dispose]() {
      globalThis.setTimeout = setTimeout;
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
