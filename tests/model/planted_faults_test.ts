import { notStrictEqual, strictEqual } from "node:assert/strict";
import { PLANTED_FAULTS, withChanges } from "./planted_faults.ts";

Deno.test("the faults that the model must find can still be planted", async () => {
  strictEqual(PLANTED_FAULTS.length, 15);
  for (const fault of PLANTED_FAULTS) {
    const source = await Deno.readTextFile(fault.file);
    notStrictEqual(withChanges(source, fault), source, fault.name);
  }
});
