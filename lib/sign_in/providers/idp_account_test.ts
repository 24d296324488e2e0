import { deepStrictEqual, strictEqual, throws } from "node:assert/strict";
import { IdpError } from "../../errors/errors.ts";
import type { IdpIdentity } from "../../services/identity_provider.ts";
import type { Services } from "../../services/services.ts";
import { idpAccountOf } from "./idp_account.ts";

const IDENTITY = {
  provider: "default",
  subject: "s",
  email: "Ada@Example.com",
  emailVerified: true,
  name: "Ada",
  picture: null,
  groups: null,
};
const SERVICES = {
  config: {
    baseUrl: "https://foyer.example",
    uploads: "on",
    providers: [{ key: "default", trustEmail: false }, { key: "trusted", trustEmail: true }],
  },
  objects: { publicUrl: (key: string) => `https://foyer.example/files/${key}` },
} as Services;

const accountOf = (identity: IdpIdentity) => idpAccountOf(identity, SERVICES);

Deno.test("an account takes over data that obey the rules for people's own input", () => {
  deepStrictEqual(accountOf(IDENTITY), {
    provider: "default",
    subject: "s",
    email: "ada@example.com",
    name: "Ada",
    avatar: null,
    groups: null,
  });
  for (
    const email of [
      null,
      "",
      "ada",
      "ada@localhost",
      "ä@example.com",
      "\u212aay@example.com",
      "ada@exam ple.com",
      `${"a".repeat(250)}@example.com`,
    ]
  ) {
    throws(
      () => accountOf({ ...IDENTITY, email }),
      (error: IdpError) => error.refusal === "idp_email",
      String(email),
    );
  }
  throws(() => accountOf({ ...IDENTITY, emailVerified: false }), /neither the provider nor IDP_TRUST_EMAIL$/);
  throws(
    () => accountOf({ ...IDENTITY, provider: "trusted", emailVerified: false }),
    /The provider says that the email address is not verified, which IDP_TRUSTED_TRUST_EMAIL does not override/,
  );
});

Deno.test("a name that breaks the rules is changed to fit", () => {
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
  for (const [name, fitting] of cases) strictEqual(accountOf({ ...IDENTITY, name }).name, fitting, String(name));
});

Deno.test("a picture that may not be an avatar is dropped", () => {
  const cases: [picture: string | null, avatar: string | null][] = [
    ["https://pictures.example/a.png", "https://pictures.example/a.png"],
    ["http://pictures.example/a.png", null],
    ["https://foyer.example/files/a.webp", "a.webp"],
    ["https://foyer.example/auth/idp", null],
    ["javascript:alert(1)", null],
    ["https://ada:secret@pictures.example/", null],
    [`https://pictures.example/${"a".repeat(2048)}`, null],
    ["", null],
  ];
  for (const [picture, avatar] of cases) strictEqual(accountOf({ ...IDENTITY, picture }).avatar, avatar, picture!);
});

Deno.test("an address that the provider sends in place of a name is not taken over, because names are public", () => {
  for (const name of ["ada@example.com", " ADA@Example.COM ", "ada.private@other.example"]) {
    strictEqual(accountOf({ ...IDENTITY, name }).name, "New user", name);
  }
});
