import { deepStrictEqual, strictEqual, throws } from "node:assert/strict";
import { IdpError } from "../errors.ts";
import { openIdIdentity, plainIdentity } from "./provider_profile.ts";

const ISSUER = "https://id.example";

Deno.test("userinfo goes before the ID token, but an address keeps its own verification", () => {
  const claims = { sub: "1", email: "old@example.com", email_verified: true, name: "Old", picture: "https://a" };
  deepStrictEqual(openIdIdentity(ISSUER, claims, {}), {
    subject: "https://id.example 1",
    email: "old@example.com",
    emailVerified: true,
    name: "Old",
    picture: "https://a",
  });
  const identity = openIdIdentity(ISSUER, claims, { sub: "1", email: "new@example.com", name: "New" });
  deepStrictEqual(identity, {
    subject: "https://id.example 1",
    email: "new@example.com",
    emailVerified: false,
    name: "New",
    picture: "https://a",
  });
});

Deno.test("a plain provider vouches for the address that it has, unless it says otherwise", () => {
  const cases: [emailVerified: unknown, expected: boolean][] = [
    [undefined, true],
    [true, true],
    [false, false],
    ["true", false],
    [null, false],
  ];
  for (const [emailVerified, expected] of cases) {
    const profile = { id: 7, email: "a@example.com", email_verified: emailVerified, avatar_url: "https://a" };
    deepStrictEqual(plainIdentity(ISSUER, profile), {
      subject: "https://id.example 7",
      email: "a@example.com",
      emailVerified: expected,
      name: null,
      picture: "https://a",
    });
  }
});

Deno.test("subjects that name nobody are refused", () => {
  strictEqual(plainIdentity(ISSUER, { sub: "s", id: 1 }).subject, "https://id.example s");
  strictEqual(plainIdentity(ISSUER, { sub: "x".repeat(255) }).subject.length, ISSUER.length + 256);
  const bad = [{}, { sub: "" }, { sub: "x".repeat(256) }, { sub: "a\0b" }, { sub: "\ud800" }, { id: 2 ** 53 }, {
    id: {},
  }];
  for (const profile of bad) throws(() => plainIdentity(ISSUER, profile), IdpError, JSON.stringify(profile));
});
