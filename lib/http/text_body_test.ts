import { rejects, strictEqual } from "node:assert/strict";
import { parseForm } from "./text_body.ts";

Deno.test("a form may have up to 64 fields", async () => {
  const parse = (count: number) => {
    const body = new URLSearchParams(Array.from({ length: count }, (_, index) => [`f${index}`, "x"]));
    return parseForm(new Request("http://foyer.test/", { method: "POST", body }));
  };
  strictEqual(Object.keys(await parse(64)).length, 64);
  await rejects(parse(65), { code: "VALIDATION_FAILED", data: { reason: "formFields" } });
});
