import { deepStrictEqual } from "node:assert/strict";
import { acceptedLanguages } from "./accept_language.ts";

Deno.test("the languages that a browser accepts come in its order", () => {
  const cases: [header: string | null, tags: string[]][] = [
    [null, []],
    ["", []],
    ["*", []],
    ["de", ["de"]],
    ["de-AT,de;q=0.9,en;q=0.8", ["de-AT", "de", "en"]],
    ["en;q=0.2, ar , de;Q=0.7", ["ar", "de", "en"]],
    ["de;q=0, en", ["en"]],
    ["de;q=x, en", ["en"]],
    ["<b>, en", ["en"]],
    [`${"xx;q=0,".repeat(19)}de, en`, ["de"]], // the first twenty
    ["de;a;b;c;d;q=0, en;a;b;c;d;e;q=0", ["en"]], // and five parameters of each
  ];
  for (const [header, tags] of cases) deepStrictEqual(acceptedLanguages(header), tags, String(header));
});
