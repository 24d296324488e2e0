import { strictEqual } from "node:assert/strict";
import { isolated } from "./isolation.ts";

Deno.test("a text is isolated inside of another one, unless nothing could mix", () => {
  const cases: [text: string, direction: "ltr" | "rtl", result: string][] = [
    ["2026.17@example.com", "rtl", "\u20682026.17@example.com\u2069"],
    ["Sammy Davis Jr.", "rtl", "\u2068Sammy Davis Jr.\u2069"],
    ["سلمى", "rtl", "\u2068سلمى\u2069"],
    ["سلمى", "ltr", "\u2068سلمى\u2069"],
    ["דנה", "ltr", "\u2068דנה\u2069"],
    ["Sammy Davis Jr.", "ltr", "Sammy Davis Jr."],
    ["", "rtl", ""],
  ];
  for (const [text, direction, result] of cases) strictEqual(isolated(text, direction), result);
});
