import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import { parseForm, parseFormWithList } from "./text_body.ts";

Deno.test("a form may have up to 64 fields", async () => {
  const parse = (count: number) => {
    const body = new URLSearchParams(Array.from({ length: count }, (_, index) => [`f${index}`, "x"]));
    return parseForm(new Request("http://foyer.test/", { method: "POST", body }));
  };
  strictEqual(Object.keys(await parse(64)).length, 64);
  await rejects(parse(65), { code: "VALIDATION_FAILED", data: { reason: "formFields" } });
});

for (
  const [what, sent, groups] of [
    ["several choices", "groups[]=ops&reason=moved&groups[]=password-team", "ops password-team"],
    ["one", "reason=moved&groups[]=ops", "ops"],
    ["none", "reason=moved", ""],
    ["none, and a field of its name", "reason=moved&groups=ops", ""],
  ]
) {
  Deno.test(`a form with a list has ${what}`, async () => {
    const request = new Request("http://foyer.test/", { method: "POST", body: new URLSearchParams(sent) });
    deepStrictEqual(await parseFormWithList(request, "groups"), { reason: "moved", groups });
  });
}
