import { strictEqual } from "node:assert/strict";
import { withFolder } from "../../tests/support/database/engines.ts";
import { delay } from "../../tests/support/delay.ts";
import { lockKeys } from "./key_lock.ts";

const PATIENCE_MS = 20_000;
/** More than there are locks, so that some of them share one. */
const KEYS = Array.from({ length: 300 }, (_, number) => `images/${number}`);

/** Takes all locks and releases them. Returns false if that takes too long. */
async function lockAndRelease(root: string, keys: string[]): Promise<boolean> {
  const locking = lockKeys(root, keys).then((locks) => locks[Symbol.dispose]());
  return await Promise.race([locking.then(() => true), delay(PATIENCE_MS).then(() => false)]);
}

Deno.test("keys that share a lock can be locked at once", () =>
  withFolder(async (root) => {
    strictEqual(await lockAndRelease(root, KEYS), true);
    strictEqual(await lockAndRelease(root, KEYS), true, "the locks were released");
  }));

Deno.test("two that lock the same keys in another order do not wait for each other", () =>
  withFolder(async (root) => {
    for (let turn = 0; turn < 20; turn++) {
      const keys = KEYS.slice(turn, turn + 9);
      const both = [keys, keys.toReversed()].map((each) => lockAndRelease(root, each));
      strictEqual((await Promise.all(both)).every(Boolean), true);
    }
  }));
