import { deepStrictEqual, ok, strictEqual, throws } from "node:assert/strict";
import { type BodyShare, createShares, type SharesOptions } from "./shares.ts";

const BUSY = { code: "UNAVAILABLE", retryAfterSeconds: 5 };

/** Shares with a clock, whose bodies are read as soon as they are open. */
function testShares(options: SharesOptions) {
  let ms = 0;
  const shares = createShares({ ...options, now: () => ms });
  return {
    wait: (more: number) => void (ms += more),
    open(...holders: string[]): BodyShare {
      const share = shares.open(holders);
      share.stopReading = () => {};
      return share;
    },
  };
}

const endedOf = (bodies: BodyShare[]) => bodies.flatMap(({ isEnded }, index) => isEnded ? [index] : []);

Deno.test("what has arrived counts until the body is disposed of", () => {
  const { open } = testShares({ total: 160, perBody: 1, largest: 10 });
  const first = open("a");
  first.stopReading = null;
  first.receive(119);
  throws(() => open("a"), BUSY);
  first[Symbol.dispose]();
  const second = open("a");
  second.receive(119);
  throws(() => second.receive(1), BUSY);
});

Deno.test("a holder alone fills three quarters, and the slowest of its bodies ends for a new one", () => {
  const { open, wait } = testShares({ total: 160, perBody: 1 });
  const bodies = Array.from({ length: 120 }, () => open("a"));
  wait(1000);
  for (const [index, body] of bodies.entries()) body.receive(index === 70 ? 1 : 1000);
  deepStrictEqual(endedOf(bodies), []);
  bodies.push(open("a"));
  deepStrictEqual(endedOf(bodies), [70]);
  throws(() => bodies[70].receive(1), BUSY);
});

Deno.test("holders with less than a sixteenth find room whatever two others do, and end nobody", () => {
  const { open, wait } = testShares({ total: 160, perBody: 1 });
  const many = Array.from({ length: 520 }, (_, index) => open(index % 2 ? "a" : "b"));
  wait(1000);
  const others = ["c", "d", "e"].flatMap((holder) => Array.from({ length: 10 }, () => open(holder)));
  strictEqual(endedOf(many).length, 520 - 120);
  deepStrictEqual(endedOf(others), []);
});

Deno.test("a full total ends the slowest body of a holder over its part before those of others", () => {
  const { open, wait } = testShares({ total: 160, perBody: 1 });
  const many = Array.from({ length: 120 }, () => open("a"));
  wait(1000);
  const few = ["b", "c", "d", "e"].flatMap((holder) => Array.from({ length: 10 }, () => open(holder)));
  wait(1000);
  many.forEach((body, index) => body.receive(index === 7 ? 500_000 : 1_000_000));
  const newcomer = open("f");
  deepStrictEqual([endedOf(many), endedOf(few), newcomer.isEnded], [[7], [], false]);
});

Deno.test("the slowest body ends if no holder is over its part; a holder that would be over it ends no one else's", () => {
  const { open, wait } = testShares({ total: 160, perBody: 1 });
  const bodies = Array.from({ length: 160 }, (_, index) => open(`holder ${index % 16}`));
  wait(1000);
  bodies.forEach((body, index) => body.receive(index === 3 ? 0 : 1));
  throws(() => open("holder 5"), BUSY);
  deepStrictEqual(endedOf(bodies), []);
  open("newcomer");
  deepStrictEqual(endedOf(bodies), [3]);
});

Deno.test("a body counts for each of its holders", () => {
  const { open } = testShares({ total: 160, perBody: 1 });
  const bodies = Array.from({ length: 120 }, (_, index) => open("site", `network ${index}`));
  throws(() => {
    bodies.forEach((body) => body.stopReading = null);
    open("site", "network 120");
  }, BUSY);
  ok(open("elsewhere"));
});

Deno.test("a body that is not being read is not ended", () => {
  const { open, wait } = testShares({ total: 160, perBody: 1 });
  const bodies = Array.from({ length: 120 }, () => open("a"));
  wait(1000);
  bodies.forEach((body, index) => {
    if (index !== 50) body.stopReading = null;
  });
  open("a");
  deepStrictEqual(endedOf(bodies), [50]);
});

Deno.test("the largest body fits its holder's part", () => {
  const { open, wait } = testShares({ total: 160, perBody: 1, largest: 50 });
  const heavy = [open("a"), open("a")];
  heavy.forEach((body) => body.receive(59));
  wait(1000);
  const large = open("b");
  large.receive(39);
  deepStrictEqual(endedOf(heavy), []);
  large.receive(10);
  strictEqual(endedOf(heavy).length, 1);
});
