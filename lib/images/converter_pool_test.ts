import { deepStrictEqual, rejects } from "node:assert/strict";
import { delay } from "../../tests/support/delay.ts";
import { waitFor } from "../../tests/support/wait_for.ts";
import { converterPool } from "./converter_pool.ts";

/**
 * Creates a pool of converters that have numbers and do nothing. The time is short, so that no timer outlives a test.
 */
function numberedPool({ max = 2, idleSeconds = 0.05 } = {}) {
  const closed = new Set<number>();
  let opened = 0;
  const pool = converterPool({
    max,
    idleSeconds,
    open() {
      const number = ++opened;
      return { number, close: () => closed.add(number), isClosed: () => closed.has(number) };
    },
  });
  return {
    pool,
    closed,
    /** Uses a converter and returns its number. */
    async use(task: () => boolean | Promise<boolean> = () => true) {
      let used = 0;
      await pool.lend(async ({ number }) => {
        used = number;
        return await task();
      });
      return used;
    },
    allClosed: () => waitFor("the end of all converters", () => closed.size === opened),
  };
}

const takesLong = async () => {
  await delay(10);
  return true;
};

Deno.test("a converter is used again, by one task at a time", async () => {
  const { use, allClosed } = numberedPool();
  deepStrictEqual([await use(), await use()], [1, 1]);
  deepStrictEqual(await Promise.all([use(takesLong), use(takesLong)]), [1, 2]);
  await allClosed();
});

Deno.test("a converter ends when it has waited for too long, and not while it works", async () => {
  const { use, closed, allClosed } = numberedPool();
  await use();
  await use(() => delay(100).then(() => true));
  deepStrictEqual([...closed], []);
  await allClosed();
  deepStrictEqual(await use(), 2);
  await allClosed();
});

Deno.test("tasks wait in their order while all converters are lent, even if one ends", async () => {
  const { use, closed, allClosed } = numberedPool({ max: 1 });
  const order: number[] = [];
  const gate = Promise.withResolvers<boolean>();
  const all = [0, 1, 2].map((number) =>
    use(() => {
      order.push(number);
      return number === 0 ? gate.promise : true;
    })
  );
  await delay(10);
  deepStrictEqual(order, [0]);
  gate.resolve(false);
  deepStrictEqual(await Promise.all(all), [1, 2, 2]);
  deepStrictEqual([order, [...closed]], [[0, 1, 2], [1]]);
  await allClosed();
});

Deno.test("a converter that has ended is not used again", async () => {
  const { use, closed, allClosed } = numberedPool();
  closed.add(await use());
  deepStrictEqual(await use(), 2);
  await allClosed();
});

Deno.test("a converter ends if its task fails, or returns that it must not be used again", async () => {
  const { use, closed } = numberedPool();
  await use(() => false);
  deepStrictEqual([...closed], [1]);
  await rejects(use(() => Promise.reject(new Error("broken"))), /broken/);
  deepStrictEqual([...closed], [1, 2]);
});

Deno.test("a pool that has been disposed of lends to no task that waits", async () => {
  const { pool, use, closed } = numberedPool({ max: 1 });
  const working = use(takesLong);
  const waiting = use();
  pool[Symbol.dispose]();
  deepStrictEqual([await working, await waiting, [...closed]], [1, 0, [1]]);
});

Deno.test("a pool that has been disposed of keeps no converter", async () => {
  const { pool, use, closed } = numberedPool({ idleSeconds: 60 });
  await use();
  const working = use(takesLong); // takes the idle one
  const waiting = await use();
  pool[Symbol.dispose]();
  deepStrictEqual([...closed], [waiting]);
  await working;
  deepStrictEqual(closed.size, 2);
});
