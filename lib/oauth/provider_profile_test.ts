import { deepStrictEqual, strictEqual, throws } from "node:assert/strict";
import { IdpError } from "../errors.ts";
import { isEmailVerified, openIdIdentity, plainIdentity, type ProviderProfile } from "./provider_profile.ts";

const ISSUER = "https://id.example";

Deno.test("an address is verified by email_verified or the setting, which does not override a denial", () => {
  const cases: [claims: ProviderProfile, alone: boolean, trusted: boolean][] = [
    [{}, false, true],
    [{ email_verified: true }, true, true],
    // People may fill in such a field themselves, and it may be about something else than the address.
    [{ verified_email: true }, false, true],
    [{ verified: true }, false, true],
    [{ xms_edov: true }, false, true],
    [{ email_verified: true, verified_email: true, verified: true }, true, true],
    [{ email_verified: true, verified: false }, false, false],
    [{ email_verified: false, verified_email: true }, false, false],
    ...[false, null, "true", "false", "", 1, 0, [true], {}].flatMap((value) =>
      ["email_verified", "verified_email", "verified"].map((name): [ProviderProfile, boolean, boolean] => [
        { [name]: value },
        false,
        false,
      ])
    ),
  ];
  for (const [claims, alone, trusted] of cases) {
    const verdicts = [isEmailVerified(claims, false), isEmailVerified(claims, true)];
    deepStrictEqual(verdicts, [alone, trusted], JSON.stringify(claims));
  }
});

Deno.test("userinfo takes precedence over the ID token, but an address keeps its own verification", () => {
  const claims = { sub: "1", email: "old@example.com", email_verified: true, name: "Old", picture: "https://a" };
  deepStrictEqual(openIdIdentity(ISSUER, { claims, userinfo: {}, trustEmail: false }), {
    subject: "https://id.example 1",
    email: "old@example.com",
    emailVerified: true,
    name: "Old",
    picture: "https://a",
  });
  const userinfo = { sub: "1", email: "new@example.com", name: "New" };
  deepStrictEqual(openIdIdentity(ISSUER, { claims, userinfo, trustEmail: false }), {
    subject: "https://id.example 1",
    email: "new@example.com",
    emailVerified: false,
    name: "New",
    picture: "https://a",
  });
});

Deno.test("in OpenID Connect only email_verified counts, and either source can deny it", () => {
  const email = "a@example.com";
  const cases: [claims: ProviderProfile, userinfo: ProviderProfile, alone: boolean, trusted: boolean][] = [
    [{ email }, {}, false, true],
    [{ email, email_verified: true }, {}, true, true],
    [{ email, email_verified: "true" }, {}, false, false],
    [{ email, verified: true }, {}, false, true],
    [{ email, email_verified: true, verified: false }, {}, false, false],
    [{}, { email }, false, true],
    [{}, { email, email_verified: true }, true, true],
    [{ email_verified: false }, { email }, false, false],
    [{ email, email_verified: true }, { email_verified: false }, false, false],
    [{ email_verified: true }, { email }, false, true],
  ];
  for (const [claims, userinfo, alone, trusted] of cases) {
    const verdicts = [false, true].map((trustEmail) =>
      openIdIdentity(ISSUER, { claims: { sub: "1", ...claims }, userinfo, trustEmail }).emailVerified
    );
    deepStrictEqual(verdicts, [alone, trusted], JSON.stringify([claims, userinfo]));
  }
});

Deno.test("a plain provider's fields become an identity", () => {
  const profile = { id: 7, email: "a@example.com", email_verified: true, avatar_url: "https://a" };
  deepStrictEqual(plainIdentity(ISSUER, profile, false), {
    subject: "https://id.example 7",
    email: "a@example.com",
    emailVerified: true,
    name: null,
    picture: "https://a",
  });
});

Deno.test("a subject that identifies no one is refused", () => {
  const subjectOf = (profile: ProviderProfile) => plainIdentity(ISSUER, profile, false).subject;
  strictEqual(subjectOf({ sub: "s", id: 1 }), "https://id.example s");
  strictEqual(subjectOf({ sub: 1 }), "https://id.example 1");
  strictEqual(subjectOf({ id: 2 ** 53 - 1 }), `https://id.example ${2 ** 53 - 1}`);
  strictEqual(subjectOf({ sub: "x".repeat(255) }).length, ISSUER.length + 256);
  const subjects = ["", "x".repeat(256), "a\0b", "\ud800", 0, -1, 1.5, 2 ** 53, NaN, Infinity, true, {}, ["a"], null];
  for (const profile of [{}, ...subjects.flatMap((subject) => [{ sub: subject }, { id: subject }])]) {
    throws(() => subjectOf(profile), IdpError, JSON.stringify(profile));
  }
  throws(() => openIdIdentity(ISSUER, { claims: { sub: 1 }, userinfo: {}, trustEmail: false }), IdpError);
});
