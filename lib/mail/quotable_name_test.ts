import { strictEqual } from "node:assert/strict";
import { quotableName } from "./messages.ts";

Deno.test("an email quotes ordinary names", () => {
  for (
    const name of ["Tomás", "Dr. Ada Lovelace", "J. R. R. Tolkien", "J.R.R. Tolkien", "李小龍", "O’Neil, Jr.", "Ada 2"]
  ) {
    strictEqual(quotableName(name), name);
  }
  strictEqual(quotableName("x".repeat(60)), "x".repeat(60));
});

Deno.test("an email quotes no name that people could open or call, and none that is a text", () => {
  const lures = [
    "evil.example",
    "Win at evil。com",
    "https://evil",
    "a@b",
    "www evil",
    "Call +1 555 0100",
    "＠you",
    "ｅvil．com",
  ];
  for (const name of lures) strictEqual(quotableName(name), undefined, name);
  strictEqual(quotableName("x".repeat(61)), undefined);
  strictEqual(quotableName(undefined), undefined);
});
