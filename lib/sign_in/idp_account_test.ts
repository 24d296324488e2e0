import { deepStrictEqual, strictEqual, throws } from "node:assert/strict";
import { IdpError } from "../errors.ts";
import { idpAccountOf } from "./idp_account.ts";

const IDENTITY = { subject: "s", email: "Ada@Example.com", emailVerified: true, name: "Ada", picture: null };

Deno.test("an account takes over what passes the rules for what people enter here", () => {
  deepStrictEqual(idpAccountOf(IDENTITY), { subject: "s", email: "ada@example.com", name: "Ada", avatar: null });
  for (
    const email of [
      null,
      "",
      "ada",
      "ada@localhost",
      "ä@example.com",
      "\u212aay@example.com",
      "ada@example.com\u202e",
      `${"a".repeat(250)}@example.com`,
    ]
  ) {
    throws(
      () => idpAccountOf({ ...IDENTITY, email }),
      (error: IdpError) => error.refusal === "idp_email",
      String(email),
    );
  }
  throws(() => idpAccountOf({ ...IDENTITY, emailVerified: false }), IdpError);
});

Deno.test("a name is made to fit", () => {
  const cases: [given: string | null, fitting: string][] = [
    ["  Ada \n\t Lovelace ", "Ada Lovelace"],
    ["Ada\0\u202e", "Ada"],
    ["x".repeat(101), "x".repeat(100)],
    ["😀".repeat(101), "😀".repeat(100)],
    [`${"x".repeat(99)} y`, "x".repeat(99)],
    ["A\ud800", "A\ufffd"],
    ["A", "New user"],
    ["\u200b\u200b\u200b", "New user"],
    ["", "New user"],
    [null, "New user"],
  ];
  for (const [name, fitting] of cases) strictEqual(idpAccountOf({ ...IDENTITY, name }).name, fitting, String(name));
});

Deno.test("a picture that is not https is dropped", () => {
  const cases: [picture: string | null, avatar: string | null][] = [
    ["https://pictures.example/a.png", "https://pictures.example/a.png"],
    ["http://pictures.example/a.png", null],
    ["javascript:alert(1)", null],
    ["https://ada:secret@pictures.example/", null],
    [`https://pictures.example/${"a".repeat(2048)}`, null],
    ["", null],
  ];
  for (const [picture, avatar] of cases) strictEqual(idpAccountOf({ ...IDENTITY, picture }).avatar, avatar, picture!);
});
