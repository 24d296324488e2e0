import { match, ok, rejects, strictEqual } from "node:assert/strict";
import { pbkdf2Sync } from "node:crypto";
import { hashPassword, iterationsOf, verifyPassword } from "./password.ts";

const ITERATIONS = 100_000;

Deno.test("a hash holds iterations, salt and output of PBKDF2-SHA-256, as another implementation computes it", async () => {
  const stored = await hashPassword("Pässword-1", { iterations: ITERATIONS, owner: "test" });
  match(stored, /^100000:[A-Za-z0-9+/]{22}==:[A-Za-z0-9+/]{43}=$/);
  const [, salt, hash] = stored.split(":");
  const expected = pbkdf2Sync("Pässword-1", Uint8Array.fromBase64(salt), ITERATIONS, 32, "sha256");
  strictEqual(hash, expected.toString("base64"));
});

Deno.test("two hashes of one password differ, and both match only this password", async () => {
  const [first, second] = await Promise.all([
    hashPassword("Right-1a", { iterations: 1, owner: "test" }),
    hashPassword("Right-1a", { iterations: 1, owner: "test" }),
  ]);
  ok(first !== second);
  for (const storedHash of [first, second]) {
    ok(await verifyPassword("Right-1a", { storedHash, iterations: ITERATIONS, owner: "test" }));
    ok(!await verifyPassword("Right-1b", { storedHash, iterations: ITERATIONS, owner: "test" }));
  }
});

Deno.test("a damaged hash matches no password, and neither throws nor hangs", async () => {
  const salt = "A".repeat(22) + "==";
  const hash = "A".repeat(43) + "=";
  for (
    const storedHash of [
      null,
      "",
      "x",
      `0:${salt}:${hash}`,
      `4294967296:${salt}:${hash}`,
      `10000001:${salt}:${hash}`,
      `1:${salt}:AA==`,
    ]
  ) {
    ok(!await verifyPassword("Right-1a", { storedHash, iterations: 1, owner: "test" }), String(storedHash));
    if (storedHash !== null) strictEqual(iterationsOf(storedHash), null, storedHash);
  }
});

Deno.test("an iteration count that PBKDF2 does not support is an error", async () => {
  await rejects(hashPassword("Right-1a", { iterations: 0, owner: "test" }));
});

Deno.test("no more passwords are hashed concurrently than there are cores", async () => {
  const ended: string[] = [];
  const hash = async (name: string, iterations: number) => {
    await hashPassword("Right-1a", { iterations, owner: "test" });
    ended.push(name);
  };
  const slow = Array.from({ length: navigator.hardwareConcurrency }, () => hash("slow", 3 * ITERATIONS));
  await Promise.all([...slow, hash("quick", 1)]);
  strictEqual(ended[0], "slow");
});
