import { deepStrictEqual } from "node:assert/strict";
import { checkText, checkTexts } from "./check.ts";

const FILES = "{files, plural, one {# file} other {# files}}";
const NAMED = "{hasName, select, yes {Hello {name}.} other {Hello.}}";

Deno.test("a text is compared with the English one", () => {
  const cases: [text: string, english: string, tag: string, problem: string | null][] = [
    ["Guten Tag", "Hello", "de", null],
    ["Guten Tag, {name}", "Hello {name}", "de", null],
    ["Anmelden", "Log in to {product}", "de", null],
    ["Bei {product} anmelden", "Log in", "de", null],
    ["Zur <link>Anmeldung</link>", "Go to the <link>login</link>", "de", null],
    ["Guten Tag", "Hello {name}", "de", "lacks the argument name"],
    ["Guten Tag, {nam}", "Hello {name}", "de", "lacks the argument name, has an unknown argument, nam"],
    ["{name, number}", "{name}", "de", "uses name as a number, not as a text"],
    ["{name} {name, number}", "{name}", "de", "{name} is a text and a number"],
    ["{name", "{name}", "de", "EXPECT_ARGUMENT_CLOSING_BRACE"],
    ["<b>Guten</b> Tag", "Hello", "de", "has an unknown argument, b"],
    ["Guten<br/>Tag", "Hello", "de", "contains HTML"],
    ["Guten&nbsp;Tag", "Hello", "de", "contains HTML"],
    ["Mehr & weniger, 1 < 2", "More & less, 1 < 2", "de", null],
    ["{files, plural, one {# Datei} other {# Dateien}}", FILES, "de", null],
    ["{files, plural, =1 {eine Datei} other {# Dateien}}", FILES, "de", null],
    ["{files, plural, other {# Dateien}}", FILES, "de", "files lacks the plural form one"],
    ["{files, plural, one {#} few {#} other {#}}", FILES, "de", "files has the plural form few, which de does not use"],
    ["{files, plural, one {#} other {#}}", FILES, "ar", "zero, two, few, many"],
    ["{files, plural, zero {#} one {#} two {#} few {#} many {#} other {#}}", FILES, "ar", null],
    ["{hasName, select, yes {Hallo {name}.} other {Hallo.}}", NAMED, "de", null],
    ["{hasName, select, ja {Hallo {name}.} other {Hallo.}}", NAMED, "de", "hasName needs the cases yes, other"],
  ];
  for (const [text, english, tag, problem] of cases) {
    const found = checkText(text, english, { file: "a.json", key: "b.c", tag });
    deepStrictEqual(found.length === 0, problem === null, `${text}: ${found}`);
    for (const part of problem?.split(", ").slice(-1) ?? []) {
      deepStrictEqual(found.join().includes(part) && found.join().startsWith("a.json: "), true, `${text}: ${found}`);
    }
  }
});

Deno.test("keys that English lacks are errors, and keys that are missing are named", () => {
  const english = { title: "Title", group: { one: "One", two: "Two" } };
  const place = { file: "a.json", tag: "de" };
  deepStrictEqual(checkTexts({ title: "Titel", group: { one: "Eins" } }, english, place), {
    errors: [],
    missing: ["group.two"],
  });
  deepStrictEqual(checkTexts({ group: { one: { x: "Eins" }, toString: "" }, other: "" }, english, place), {
    errors: [
      "a.json: group.one: must be a text",
      "a.json: group.toString: there is no such text",
      "a.json: other: there is no such text",
    ],
    missing: ["title", "group.two"],
  });
  deepStrictEqual(checkTexts({ title: {}, group: "" }, english, place).errors, [
    "a.json: title: must be a text",
    "a.json: group: must be texts by key",
  ]);
});
