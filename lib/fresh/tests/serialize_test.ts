import fc from "fast-check";
import { deepStrictEqual, ok, strictEqual, throws } from "node:assert/strict";
// No public entry exports both functions, so the test imports the modules.
import { deserialize } from "../client/deserialize.ts";
import { serialize } from "../server/serialize.ts";
import { describeKinds, kinds } from "./fixture/shared/kinds.ts";

function roundTrip<T>(value: T): T {
  return deserialize(serialize(value)) as T;
}

Deno.test("every supported type survives", () => {
  deepStrictEqual(describeKinds(roundTrip(kinds())), describeKinds(kinds()));
});

for (const value of [undefined, null, 0, -0, NaN, Infinity, -Infinity, "", "text", true, 1n]) {
  Deno.test(`${Object.is(value, -0) ? "-0" : String(value)} survives as the root value`, () => {
    ok(Object.is(roundTrip(value), value));
  });
}

Deno.test("any plain data survives", () => {
  const data = fc.anything({
    withBigInt: true,
    withDate: true,
    withMap: true,
    withSet: true,
    withSparseArray: true,
    key: fc.string().filter((key) => key !== "__proto__"),
  });
  fc.assert(fc.property(data, (value) => deepStrictEqual(roundTrip(value), value)), { numRuns: 300 });
});

Deno.test("a key named __proto__ does not become a prototype", () => {
  const value = JSON.parse(`{"__proto__": {"isAdmin": true}, "constructor": {"prototype": {"isAdmin": true}}}`);
  const copy = roundTrip(value);
  strictEqual(copy.isAdmin, undefined);
  strictEqual(Object.getPrototypeOf(copy), Object.prototype);
  strictEqual(({} as Record<string, unknown>).isAdmin, undefined);
});

Deno.test("strings are not mistaken for type names", () => {
  const value = [["Signal", 1], ["Date", "x"], { 0: "URL" }, "-1"];
  deepStrictEqual(roundTrip(value), value);
});

const UNSUPPORTED = { "a function": () => {}, "a symbol": Symbol("a"), "a nested function": { deep: [() => {}] } };
for (const [what, value] of Object.entries(UNSUPPORTED)) {
  Deno.test(`${what} is rejected`, () => {
    throws(() => serialize(value), TypeError);
  });
}
