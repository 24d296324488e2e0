import { deepStrictEqual, strictEqual, throws } from "node:assert/strict";
import { IdpError } from "../errors/errors.ts";
import type { ProviderSettings } from "../config/provider_settings.ts";
import { githubIdentity, openIdIdentity, plainIdentity, type ProviderProfile, vouches } from "./provider_profile.ts";

const ISSUER = "https://id.example";

const GROUPS: ProviderSettings["groups"] = { claim: "groups", pairs: [], keptSeconds: 1 };

function settingsWith(more: Partial<ProviderSettings> = {}): ProviderSettings {
  return {
    key: "k",
    clientId: "c",
    name: "n",
    scopes: "s",
    trustEmail: false,
    rules: "standard",
    groups: GROUPS,
    ...more,
  };
}

Deno.test("an address is verified by email_verified or the setting, which does not override a denial", () => {
  const cases: [claims: ProviderProfile, alone: boolean, trusted: boolean][] = [
    [{}, false, true],
    [{ email_verified: true }, true, true],
    // Users may fill in such a field themselves, and it may not refer to the address.
    [{ verified_email: true }, false, true],
    [{ verified: true }, false, true],
    [{ xms_edov: true }, false, true],
    [{ email_verified: true, verified_email: true, verified: true }, true, true],
    [{ email_verified: true, verified: false }, false, false],
    [{ email_verified: false, verified_email: true }, false, false],
    // Such a text may come from a field that the person has filled in. It is no denial.
    ...["true", "True", 1, "1"].map((value): [ProviderProfile, boolean, boolean] => [
      { email_verified: value },
      false,
      true,
    ]),
    [{ email_verified: true, verified_email: "true" }, true, true],
    ...[false, null, "false", "False", "", "no", 0, "0", [true], {}].flatMap((value) =>
      ["email_verified", "verified_email", "verified"].map((name): [ProviderProfile, boolean, boolean] => [
        { [name]: value },
        false,
        false,
      ])
    ),
  ];
  for (const [claims, alone, trusted] of cases) {
    const verdicts = [false, true].map((trustEmail) => vouches(claims, settingsWith({ trustEmail })));
    deepStrictEqual(verdicts, [alone, trusted], JSON.stringify(claims));
  }
});

Deno.test("userinfo takes precedence over the ID token, but an address keeps its own verification", () => {
  const claims = { sub: "1", email: "old@example.com", email_verified: true, name: "Old", picture: "https://a" };
  deepStrictEqual(openIdIdentity(ISSUER, { claims, userinfo: {}, settings: settingsWith() }), {
    provider: "k",
    subject: "https://id.example 1",
    email: "old@example.com",
    emailVerified: true,
    name: "Old",
    picture: "https://a",
    groups: null,
  });
  const userinfo = { sub: "1", email: "new@example.com", name: "New" };
  deepStrictEqual(openIdIdentity(ISSUER, { claims, userinfo, settings: settingsWith() }), {
    provider: "k",
    subject: "https://id.example 1",
    email: "new@example.com",
    emailVerified: false,
    name: "New",
    picture: "https://a",
    groups: null,
  });
});

Deno.test("in OpenID Connect, only email_verified or the setting verifies an address; either source denies", () => {
  const email = "a@example.com";
  const cases: [claims: ProviderProfile, userinfo: ProviderProfile, alone: boolean, trusted: boolean][] = [
    [{ email }, {}, false, true],
    [{ email, email_verified: true }, {}, true, true],
    [{ email, email_verified: "true" }, {}, true, true],
    [{ email }, { email, email_verified: "true" }, true, true],
    [{ email, email_verified: 1 }, {}, true, true],
    [{ email, email_verified: "false" }, {}, false, false],
    [{ email, email_verified: "true" }, { email, email_verified: false }, false, false],
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
      openIdIdentity(ISSUER, { claims: { sub: "1", ...claims }, userinfo, settings: settingsWith({ trustEmail }) })
        .emailVerified
    );
    deepStrictEqual(verdicts, [alone, trusted], JSON.stringify([claims, userinfo]));
  }
});

Deno.test("a plain provider's fields become an identity", () => {
  const profile = { id: 7, email: "a@example.com", email_verified: true, avatar_url: "https://a" };
  deepStrictEqual(plainIdentity(ISSUER, { profile, settings: settingsWith() }), {
    provider: "k",
    subject: "https://id.example 7",
    email: "a@example.com",
    emailVerified: true,
    name: null,
    picture: "https://a",
    groups: null,
  });
});

Deno.test("a subject that identifies no one is refused", () => {
  const subjectOf = (profile: ProviderProfile) => plainIdentity(ISSUER, { profile, settings: settingsWith() }).subject;
  strictEqual(subjectOf({ sub: "s", id: 1 }), "https://id.example s");
  strictEqual(subjectOf({ sub: 1 }), "https://id.example 1");
  strictEqual(subjectOf({ id: 2 ** 53 - 1 }), `https://id.example ${2 ** 53 - 1}`);
  strictEqual(subjectOf({ sub: "x".repeat(255) }).length, ISSUER.length + 256);
  const subjects = ["", "x".repeat(256), "a\0b", "\ud800", 0, -1, 1.5, 2 ** 53, NaN, Infinity, true, {}, ["a"], null];
  for (const profile of [{}, ...subjects.flatMap((subject) => [{ sub: subject }, { id: subject }])]) {
    throws(() => subjectOf(profile), IdpError, JSON.stringify(profile));
  }
  throws(() => openIdIdentity(ISSUER, { claims: { sub: 1 }, userinfo: {}, settings: settingsWith() }), IdpError);
});

Deno.test("Microsoft vouches by xms_edov, for the address in the same ID token", () => {
  const email = "a@contoso.example";
  const cases: [claims: ProviderProfile, userinfo: ProviderProfile, alone: boolean, trusted: boolean][] = [
    [{ email }, {}, false, true],
    ...[true, "true", 1, "1"].map((edov): [ProviderProfile, ProviderProfile, boolean, boolean] => [
      { email, xms_edov: edov },
      { email },
      true,
      true,
    ]),
    ...[false, "false", 0, "0", null, "yes", {}].map((edov): [ProviderProfile, ProviderProfile, boolean, boolean] => [
      { email, xms_edov: edov },
      {},
      false,
      false,
    ]),
    [{ email, xms_edov: true, email_verified: false }, {}, false, false],
    [{ email, xms_edov: true }, { email_verified: false }, false, false],
    [{ xms_edov: true }, { email }, false, true],
    [{ preferred_username: email, xms_edov: true }, {}, false, true],
  ];
  for (const [claims, userinfo, alone, trusted] of cases) {
    const identities = [false, true].map((trustEmail) => {
      const settings = settingsWith({ rules: "microsoft", trustEmail });
      return openIdIdentity(ISSUER, { claims: { sub: "1", ...claims }, userinfo, settings });
    });
    const what = JSON.stringify([claims, userinfo]);
    deepStrictEqual(identities.map(({ emailVerified }) => emailVerified), [alone, trusted], what);
    strictEqual(identities[0].email, claims.email ?? userinfo.email ?? null, what);
  }
  const other = { email: "b@contoso.example", email_verified: true };
  const claims = { sub: "1", email, xms_edov: true };
  const settings = settingsWith({ rules: "microsoft" });
  strictEqual(openIdIdentity(ISSUER, { claims, userinfo: other, settings }).email, email);
});

Deno.test("GitHub vouches for the verified primary address, and no other counts", () => {
  const profile = { id: 1, login: "octo", email: "public@example.com", email_verified: true };
  const primary = { email: "octo@example.com", primary: true, verified: true };
  const other = { email: "other@example.com", primary: false, verified: true };
  const cases: [emails: unknown, email: string | null, alone: boolean, trusted: boolean][] = [
    [[other, primary], "octo@example.com", true, true],
    [[other, { ...primary, verified: false }], "octo@example.com", false, false],
    [[{ ...primary, verified: "true" }], "octo@example.com", false, true],
    [[{ ...primary, verified: undefined }], "octo@example.com", false, true],
    [[other], null, false, true],
    [[{ ...primary, primary: "true" }], null, false, true],
    [[null, "octo@example.com", 1], null, false, true],
    [[], null, false, true],
    [{ message: "Not Found" }, null, false, true],
    [null, null, false, true],
  ];
  for (const [emails, email, alone, trusted] of cases) {
    const identities = [false, true].map((trustEmail) =>
      githubIdentity(ISSUER, { profile, emails, settings: settingsWith({ rules: "github", trustEmail }) })
    );
    const what = JSON.stringify(emails);
    deepStrictEqual(identities.map(({ emailVerified }) => emailVerified), [alone, trusted], what);
    deepStrictEqual(identities.map((identity) => identity.email), [email, email], what);
  }
  const settings = settingsWith({ rules: "github" });
  const nameOf = (more: ProviderProfile) =>
    githubIdentity(ISSUER, { profile: { ...profile, ...more }, emails: [primary], settings }).name;
  deepStrictEqual([nameOf({ name: "Octo Cat" }), nameOf({ name: null })], ["Octo Cat", "octo"]);
});

Deno.test("the groups of a claim are those that the settings map, and a claim that cannot be read says nothing", () => {
  const pairs: [string, string][] = [["6f1e", "staff"], ["Wiki Editors", "editors"], ["admins", "staff"]];
  const settings = settingsWith({ groups: { claim: "roles", pairs, keptSeconds: 1 } });
  const groupsOf = (claims: ProviderProfile, userinfo: ProviderProfile = {}) =>
    openIdIdentity(ISSUER, { claims: { sub: "1", ...claims }, userinfo, settings }).groups;
  deepStrictEqual(groupsOf({ roles: ["Wiki Editors", "6f1e", "admins", "other"] }), ["editors", "staff"]);
  deepStrictEqual(groupsOf({ roles: "Wiki Editors" }), ["editors"], "one text is one value");
  deepStrictEqual(groupsOf({ roles: [] }), []);
  deepStrictEqual(groupsOf({ roles: [7, null, { a: 1 }, "6f1e"] }), ["staff"]);
  deepStrictEqual(groupsOf({ roles: ["6f1e"] }, { roles: ["Wiki Editors"] }), ["staff"], "the ID token comes first");
  deepStrictEqual(groupsOf({}, { roles: ["Wiki Editors"] }), ["editors"]);
  for (const roles of [undefined, null, 7, { "6f1e": true }]) strictEqual(groupsOf({ roles }), null);
  strictEqual(groupsOf({ _claim_names: { roles: "src1" } }), null, "more groups than Microsoft puts into a token");
  strictEqual(
    openIdIdentity(ISSUER, { claims: { sub: "1", groups: ["x"] }, userinfo: {}, settings: settingsWith() }).groups,
    null,
  );
});
