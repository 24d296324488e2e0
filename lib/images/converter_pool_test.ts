import { deepStrictEqual, rejects } from "node:assert/strict";
import { delay } from "../../tests/support/delay.ts";
import { waitFor } from "../../tests/support/wait_for.ts";
import { AppError } from "../errors.ts";
import { converterPool } from "./converter_pool.ts";

/** Creates a pool of converters that have numbers and do nothing. The time is short, so that no timer outlives a test. */
function numberedPool({ maxIdle = 2, idleSeconds = 0.05 } = {}) {
  const closed = new Set<number>();
  let opened = 0;
  const pool = converterPool({
    maxIdle,
    idleSeconds,
    open() {
      const number = ++opened;
      const exchange = () => Promise.resolve({ value: number, parts: [] });
      return Promise.resolve({ exchange, close: () => closed.add(number), isClosed: () => closed.has(number) });
    },
  });
  return {
    closed,
    /** Uses a converter and returns its number. */
    use: (task: (number: number) => void | Promise<void> = () => {}) =>
      pool.lend(async ({ exchange }) => {
        const number = Number((await exchange({ value: null, parts: [] })).value);
        await task(number);
        return number;
      }),
    allClosed: () => waitFor("the end of all converters", () => closed.size === opened),
  };
}

Deno.test("a converter is used again, by one task at a time", async () => {
  const { use, allClosed } = numberedPool();
  deepStrictEqual([await use(), await use()], [1, 1]);
  deepStrictEqual(await Promise.all([use(() => delay(1)), use(() => delay(1))]), [1, 2]);
  await allClosed();
});

Deno.test("a converter ends when it has waited for too long, and not while it works", async () => {
  const { use, closed, allClosed } = numberedPool();
  await use();
  await use(() => delay(100));
  deepStrictEqual([...closed], []);
  await allClosed();
  deepStrictEqual(await use(), 2);
  await allClosed();
});

Deno.test("converters beyond the limit end after their task", async () => {
  const { use, closed, allClosed } = numberedPool({ maxIdle: 1 });
  await Promise.all([use(), use(() => delay(10))]);
  deepStrictEqual([...closed], [2]);
  await allClosed();
});

Deno.test("a converter that has ended is not used again", async () => {
  const { use, closed, allClosed } = numberedPool();
  closed.add(await use());
  deepStrictEqual(await use(), 2);
  await allClosed();
});

Deno.test("a converter ends if its task fails, but not if an image is invalid", async () => {
  const { use, closed, allClosed } = numberedPool();
  const invalid = () => Promise.reject(new AppError("IMAGE_INVALID", { reason: "undecodable" }));
  await rejects(use(invalid), { code: "IMAGE_INVALID" });
  deepStrictEqual([...closed], []);
  await rejects(use(() => Promise.reject(new Error("broken"))), /broken/);
  deepStrictEqual([...closed], [1]);
  await allClosed();
});
