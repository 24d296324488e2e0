import { rejects, strictEqual } from "node:assert/strict";
import { waitFor } from "./wait_for.ts";

Deno.test("waiting ends with the first value that is there, 0 and the empty text included", async () => {
  for (const value of [true, 0, "", "text"]) {
    const answers = [false, null, undefined, value, "later"];
    strictEqual(await waitFor("a value", () => answers.shift()), value);
  }
});

Deno.test("waiting in vain ends with an error that says what was expected", async () => {
  await rejects(waitFor("the bus", () => false, { timeoutMs: 20 }), /Waited in vain for the bus/);
});
