import { strictEqual } from "node:assert/strict";
import { CodeLoginSchema, SecondFactorSchema } from "./schema.ts";

Deno.test("a code is taken with the digits of every script, and with what copying adds", () => {
  const typed = [
    "123456",
    "123 456",
    "12-34–56",
    "\u0661\u0662\u0663\u0664\u0665\u0666",
    "\u06f1\u06f2\u06f3 \u06f4\u06f5\u06f6",
    "\u0967\u0968\u0969\u096a\u096b\u096c",
    "１２３　４５６",
    "\u200f123456\u2069",
    "\r\n 123456\n",
    "\u00a0123456\u00a0",
  ];
  for (const code of typed) {
    strictEqual(SecondFactorSchema.parse({ code }).code, "123456", JSON.stringify(code));
    strictEqual(CodeLoginSchema.parse({ email: "ada@example.com", code }).code, "123456", JSON.stringify(code));
  }
  strictEqual(SecondFactorSchema.safeParse({ code: "123\n456" }).success, false, "two lines are no code");
});

Deno.test("every decimal digit of Unicode has its value", () => {
  for (const zero of "0٠۰߀०০੦૦୦௦౦೦൦෦๐໐༠၀႐០᠐᥆᧐᪀᪐᭐᮰᱀᱐꘠꣐꤀꧐꧰꩐꯰０") {
    for (let value = 0; value < 10; value++) {
      const code = String.fromCodePoint(zero.codePointAt(0)! + value);
      strictEqual(SecondFactorSchema.parse({ code }).code, String(value));
    }
  }
});
