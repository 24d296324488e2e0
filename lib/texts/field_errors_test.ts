import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { checkText, type TextRules } from "../schemas/rules.ts";
import { EMAIL, NEW_PASSWORD, PASSWORD, PASSWORD_MAX, PASSWORD_RULES } from "../schemas/credential_rules.ts";
import { BIO, NAME, NAME_MAX, WEBSITE } from "../schemas/user_rules.ts";
import type { FieldProblems } from "../errors/problem.ts";
import { fieldErrors } from "./field_errors.ts";
import { formTexts } from "./form_texts.ts";
import { passwordTexts } from "./password_texts.ts";
import { ENGLISH } from "./languages.ts";

const texts = formTexts(ENGLISH);

Deno.test("a page shows each broken rule in the words of the catalog", () => {
  const cases: [field: string, rules: TextRules, text: string, errors: string[]][] = [
    ["name", NAME, "x", ["Use at least 2 characters"]],
    ["name", NAME, "x".repeat(NAME_MAX + 1), ["Use at most 100 characters"]],
    ["name", NAME, "x\0y", ["Contains characters that aren’t allowed"]],
    ["name", NAME, "\u200b\u200b", ["Enter a name that people can read"]],
    ["name", NAME, "", ["Enter your name"]],
    ["email", EMAIL, "me", ["Enter an email address like name@example.com"]],
    ["email", EMAIL, "", ["Enter your email address"]],
    ["bio", BIO, ` ${"x\r\n".repeat(250)}😀😀 `, ["Use at most 500 characters (2 too many)"]],
    ["website", WEBSITE, "here", ["Enter a web address like example.com"]],
    ["password", NEW_PASSWORD, "", ["Choose a password"]],
    ["password", PASSWORD, "", ["Enter your password"]],
    ["password", NEW_PASSWORD, "Aa1!aaa", ["Use at least 8 characters"]],
    ["password", NEW_PASSWORD, "Aaaaaaa!", ["Add a number"]],
    ["password", NEW_PASSWORD, "aaaaaaaa", ["Add an uppercase letter, a number, and a symbol"]],
    ["password", NEW_PASSWORD, "AAAAAAA!", ["Add a lowercase letter and a number"]],
    ["password", NEW_PASSWORD, "Aa", ["Use at least 8 characters, including a number and a symbol"]],
    ["password", NEW_PASSWORD, "A".repeat(PASSWORD_MAX) + "1!", [
      "Use at most 128 characters, including a lowercase letter",
    ]],
  ];
  for (const [field, rules, text, errors] of cases) {
    const details = { [field]: checkText(rules, text).problems };
    deepStrictEqual(
      fieldErrors(texts, details, { [field]: text }),
      { [field]: errors },
      `${field}: ${text}`,
    );
  }
});

Deno.test("a page asks for a field that was not sent", () => {
  const problems: FieldProblems = {
    email: [{ rule: "required" }],
    file: [{ rule: "file" }],
    other: [{ rule: "required" }],
  };
  deepStrictEqual(fieldErrors(texts, problems, {}), {
    email: ["Enter your email address"],
    file: ["Choose a file"],
    other: ["Fill this in"],
  });
});

Deno.test("a page has a text of its own for each rule that people can break", () => {
  const problems: FieldProblems = {
    file: [{ rule: "fileIncomplete" }],
    password: [{ rule: "guessable" }, { rule: "breached" }],
    scopes: [{ rule: "scopes" }],
    expiresInDays: [{ rule: "between", min: 1, max: 365 }],
  };
  deepStrictEqual(fieldErrors(texts, problems, {}), {
    file: ["Choose another file. Empty files can’t be uploaded."],
    password: [
      "Too easy to guess. Avoid common words, your name and your email address",
      "Found in a data breach. Choose a password that you haven’t used before",
    ],
    scopes: ["Choose one or more permissions"],
    expiresInDays: ["Enter a number of days from 1 to 365"],
  });
});

Deno.test("the rules that only a program can break share one text", () => {
  deepStrictEqual(fieldErrors(texts, { body: [{ rule: "object" }, { rule: "unknownField" }] }, {}), {
    body: [texts.other],
  });
});

Deno.test("each rule of a new password has a text in the checklist", () => {
  const { rules } = passwordTexts(ENGLISH);
  deepStrictEqual(PASSWORD_RULES.map(({ problem }) => rules[problem.rule]), [
    "At least 8 characters",
    "At most 128 characters",
    "An uppercase letter",
    "A lowercase letter",
    "A number",
    "A symbol, such as ! or ?",
  ]);
});

Deno.test("an entered value of another type does not count as empty", () => {
  strictEqual(
    fieldErrors(texts, { name: [{ rule: "string" }] }, { name: 0 }).name[0],
    texts.other,
  );
});
