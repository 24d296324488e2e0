import { deepStrictEqual, match, strictEqual, throws } from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { PRODUCTION } from "../../tests/support/production_variables.ts";
import { configWarnings, readSettings } from "./config.ts";
import { readProviders } from "./provider_variables.ts";

const TENANT = "8eaef023-2b34-4da1-9baa-8bc8c9d6a490";

/** Returns the environment of one provider. The names in `values` have no prefix. */
function variables(key: string, values: Record<string, string>): Record<string, string> {
  const named = Object.entries(values).map(([name, value]) => [`IDP_${key.toUpperCase()}_${name}`, value]);
  return { IDP_PROVIDERS: key, ...Object.fromEntries(named) };
}

const client = (key: string, more: Record<string, string> = {}) =>
  variables(key, { CLIENT_ID: "id", CLIENT_SECRET: "secret", ...more });

Deno.test("an identity provider requires an issuer or three endpoints, all of them confidential", () => {
  const client = { IDP_CLIENT_ID: "foyer" };
  const plain = {
    IDP_AUTH_URL: "https://id.example/auth",
    IDP_TOKEN_URL: "https://id.example/token",
    IDP_USERINFO_URL: "https://id.example/me",
  };
  const cases: [env: Record<string, string>, problem: RegExp | null][] = [
    [{ ...client, IDP_ISSUER: "https://id.example" }, null],
    [{ ...client, IDP_ISSUER: "http://localhost:9000" }, null],
    [{ ...client, ...plain }, null],
    [{ IDP_ISSUER: "https://id.example" }, /- IDP_CLIENT_ID: required/],
    [{ ...client, IDP_ISSUER: "http://id.example" }, /- IDP_ISSUER: must be https/],
    [{ ...PRODUCTION, ...client, IDP_ISSUER: "http://localhost:9000" }, /- IDP_ISSUER: must be https/],
    [{ ...client, ...plain, IDP_AUTH_URL: "http://id.example/auth" }, /- IDP_AUTH_URL: must be https/],
    [{ ...client, ...plain, IDP_TOKEN_URL: "http://id.example/token" }, /- IDP_TOKEN_URL: must be https/],
    [{ ...client, ...plain, IDP_USERINFO_URL: "http://id.example/me" }, /- IDP_USERINFO_URL: must be https/],
    [{ ...client, ...plain, IDP_TOKEN_URL: "" }, /- IDP_TOKEN_URL: required/],
    [{ ...client, ...plain, IDP_AUTH_URL: "" }, /- IDP_AUTH_URL: required/],
    [{ ...client, ...plain, IDP_ISSUER: "https://id.example" }, /- IDP_AUTH_URL: must not be set with IDP_ISSUER/],
    [{ ...client, IDP_ISSUER: "https://id.example", IDP_SCOPES: "email" }, /- IDP_SCOPES: must contain openid/],
  ];
  for (const [env, problem] of cases) {
    if (problem === null) strictEqual(readSettings(env).providers[0]?.clientId, "foyer");
    else throws(() => readSettings(env), problem);
  }
  deepStrictEqual(readSettings(client).providers, []);
});

Deno.test("a plain provider without IDP_TRUST_EMAIL causes a warning", () => {
  const openId = { IDP_CLIENT_ID: "foyer", IDP_ISSUER: "https://id.example" };
  const plain = {
    IDP_CLIENT_ID: "foyer",
    IDP_AUTH_URL: "https://id.example/auth",
    IDP_TOKEN_URL: "https://id.example/token",
    IDP_USERINFO_URL: "https://id.example/me",
  };
  const warnings = (env: Record<string, string>) => configWarnings(readSettings(env));
  strictEqual(warnings(plain).length, 1);
  match(warnings(plain)[0], /^IDP_TRUST_EMAIL is not set: .*email_verified/);
  strictEqual(warnings({ ...plain, IDP_TRUST_EMAIL: "false" }).length, 1);
  for (const env of [{}, openId, { ...plain, IDP_TRUST_EMAIL: "true" }]) deepStrictEqual(warnings(env), []);
});

Deno.test("a preset needs only a client id and a secret, and for Microsoft a tenant", () => {
  const of = (env: Record<string, string>) => {
    const { clientId: _id, clientSecret: _secret, trustEmail: _trust, groups: _groups, ...settings } =
      readSettings(env).providers[0];
    return settings;
  };
  const openId = { scopes: "openid email profile", rules: "standard", oddities: undefined };
  deepStrictEqual(of(client("google")), {
    ...openId,
    key: "google",
    name: "Google",
    issuer: "https://accounts.google.com",
  });
  deepStrictEqual(of(client("gitlab")), { ...openId, key: "gitlab", name: "GitLab", issuer: "https://gitlab.com" });
  deepStrictEqual(of(client("microsoft", { TENANT })), {
    ...openId,
    key: "microsoft",
    name: "Microsoft",
    rules: "microsoft",
    issuer: `https://login.microsoftonline.com/${TENANT}/v2.0`,
  });
  deepStrictEqual(of(client("github")), {
    key: "github",
    name: "GitHub",
    rules: "github",
    scopes: "read:user user:email",
    endpoints: {
      authUrl: "https://github.com/login/oauth/authorize",
      tokenUrl: "https://github.com/login/oauth/access_token",
      userinfoUrl: "https://api.github.com/user",
    },
    oddities: { hasSecretInBody: true },
  });
  for (const key of ["slack", "discord", "facebook", "linkedin", "x"]) {
    const { provider, warnings } = { provider: of(client(key)), warnings: configWarnings(readSettings(client(key))) };
    strictEqual(provider.key, key);
    strictEqual(
      warnings.length,
      key === "facebook" ? 1 : 0,
      "only Facebook does not say whether an address is confirmed",
    );
  }
});

Deno.test("a preset's URLs, name and scopes can be overridden, but not its rules", () => {
  const of = (key: string, more: Record<string, string>) => readSettings(client(key, more)).providers[0];
  strictEqual(of("gitlab", { ISSUER: "https://git.example" }).issuer, "https://git.example");
  const { name, scopes } = of("google", { NAME: "Workspace", SCOPES: "openid email" });
  deepStrictEqual([name, scopes], ["Workspace", "openid email"]);
  const enterprise = of("github", { USERINFO_URL: "https://git.example/api/v3/user", SCOPES: "user" });
  strictEqual(enterprise.endpoints?.userinfoUrl, "https://git.example/api/v3/user");
  strictEqual(enterprise.endpoints?.tokenUrl, "https://github.com/login/oauth/access_token");
  strictEqual(enterprise.rules, "github");
  const issuer = `https://login.microsoftonline.us/${TENANT}/v2.0`;
  const { issuer: overridden, rules } = of("microsoft", { ISSUER: issuer });
  deepStrictEqual([overridden, rules], [issuer, "microsoft"]);
  const endpoints = { authUrl: "https://a.example", tokenUrl: "https://t.example", userinfoUrl: "https://u.example" };
  const urls = { AUTH_URL: endpoints.authUrl, TOKEN_URL: endpoints.tokenUrl, USERINFO_URL: endpoints.userinfoUrl };
  const plain = of("google", urls);
  deepStrictEqual([plain.issuer, plain.endpoints], [undefined, endpoints]);
});

const PEM = { type: "pkcs8", format: "pem" } as const;
const APPLE_KEY = String(generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export(PEM));
const APPLE = { TEAM_ID: "A1B2C3D4E5", KEY_ID: "F6G7H8I9J0", PRIVATE_KEY: APPLE_KEY, CLIENT_ID: "example.web" };

/** Returns what a start says about these variables of Apple. */
function problemsOfApple(changes: Record<string, string>): string[] {
  const set = Object.entries(variables("apple", { ...APPLE, ...changes })).filter(([, value]) => value !== "");
  return readProviders(Object.fromEntries(set)).problems;
}

Deno.test("Apple needs the ids of a team and of a key, and the key, in one line or in several", () => {
  for (const PRIVATE_KEY of [APPLE_KEY, APPLE_KEY.replaceAll("\n", "\\n")]) {
    const [settings] = readSettings(variables("apple", { ...APPLE, PRIVATE_KEY })).providers;
    const { name, issuer, scopes, oddities, clientSecret, secretKey } = settings;
    deepStrictEqual([name, issuer, scopes, oddities, clientSecret], [
      "Apple",
      "https://appleid.apple.com",
      "name email",
      { postsAnswer: true },
      undefined,
    ]);
    deepStrictEqual([secretKey?.teamId, secretKey?.keyId], [APPLE.TEAM_ID, APPLE.KEY_ID]);
    const { kty, crv } = secretKey!.privateKey;
    deepStrictEqual([kty, crv], ["EC", "P-256"]);
  }
  for (const name of Object.keys(APPLE)) {
    const [problem, ...others] = problemsOfApple({ [name]: "" });
    match(problem, new RegExp(`^IDP_APPLE_${name}: required `));
    deepStrictEqual(others, []);
  }
});

Deno.test("a key of Apple that cannot sign is refused, and not shown", () => {
  const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey.export(PEM);
  const other = generateKeyPairSync("ec", { namedCurve: "P-384" }).privateKey.export(PEM);
  for (const key of ["secret-text", APPLE_KEY.slice(0, 90), String(rsa), String(other)]) {
    deepStrictEqual(problemsOfApple({ PRIVATE_KEY: key }), [
      "IDP_APPLE_PRIVATE_KEY: must be a private key of the curve P-256, PKCS #8 in PEM",
    ]);
  }
  match(problemsOfApple({ CLIENT_SECRET: "signed.by.hand" })[0], /^IDP_APPLE_CLIENT_SECRET: must not be set/);
  match(problemsOfApple({ SCOPES: "name" })[0], /^IDP_APPLE_SCOPES: must contain email/);
});

Deno.test("the default provider comes first, then the others in the order of IDP_PROVIDERS", () => {
  const env = {
    ...client("contoso", { ISSUER: "https://id.contoso.example", TRUST_EMAIL: "true" }),
    ...client("github"),
    IDP_PROVIDERS: " github  contoso ",
    IDP_ISSUER: "https://id.example",
    IDP_CLIENT_ID: "foyer",
  };
  const { providers } = readSettings(env);
  deepStrictEqual(providers.map(({ key, name, trustEmail }) => [key, name, trustEmail]), [
    ["default", "single sign-on", false],
    ["github", "GitHub", false],
    ["contoso", "contoso", true],
  ]);
});

Deno.test("an invalid configuration of a provider prevents the start", () => {
  const url = "https://id.example/x";
  const cases: [env: Record<string, string>, problem: RegExp][] = [
    [{ IDP_PROVIDERS: "Google" }, /- IDP_PROVIDERS: Google must be lower-case/],
    [{ IDP_PROVIDERS: "a-b" }, /- IDP_PROVIDERS: a-b must be/],
    [client("callback", { ISSUER: url }), /- IDP_PROVIDERS: callback is reserved/],
    [client("default", { ISSUER: url }), /- IDP_PROVIDERS: default is reserved/],
    [{ ...client("google"), IDP_PROVIDERS: "google google" }, /- IDP_PROVIDERS: google appears twice/],
    [{ IDP_PROVIDERS: "google" }, /- IDP_GOOGLE_CLIENT_ID: required/],
    [variables("github", { CLIENT_ID: "id" }), /- IDP_GITHUB_CLIENT_SECRET: required for GitHub/],
    [client("contoso"), /- IDP_CONTOSO_ISSUER: required or the three URLs/],
    [client("constructor"), /- IDP_CONSTRUCTOR_ISSUER: required/],
    [
      client("contoso", { AUTH_URL: url, TOKEN_URL: url }),
      /- IDP_CONTOSO_USERINFO_URL: required without IDP_CONTOSO_I/,
    ],
    [client("google", { AUTH_URL: url }), /- IDP_GOOGLE_TOKEN_URL: required without IDP_GOOGLE_ISSUER/],
    [client("contoso", { ISSUER: url, TOKEN_URL: url }), /- IDP_CONTOSO_TOKEN_URL: must not be set with IDP_CONTOSO_I/],
    [client("contoso", { ISSUER: "http://id.example" }), /- IDP_CONTOSO_ISSUER: must be https/],
    [{ ...PRODUCTION, ...client("contoso", { ISSUER: "http://localhost" }) }, /- IDP_CONTOSO_ISSUER: must be https/],
    [client("github", { USERINFO_URL: "http://id.example" }), /- IDP_GITHUB_USERINFO_URL: must be https/],
    [client("contoso", { ISSUER: "x" }), /- IDP_CONTOSO_ISSUER: must be an http or https URL\./],
    [client("google", { TRUST_EMAIL: "yes" }), /- IDP_GOOGLE_TRUST_EMAIL: /],
    [client("google", { SCOPES: "email" }), /- IDP_GOOGLE_SCOPES: must contain openid/],
    [client("github", { SCOPES: "read:user" }), /- IDP_GITHUB_SCOPES: must contain user:email/],
    [client("github", { ISSUER: url }), /- IDP_GITHUB_ISSUER: must not be set, because GitHub has none/],
    [client("microsoft"), /- IDP_MICROSOFT_TENANT: required/],
    [
      client("microsoft", { ISSUER: "https://login.microsoftonline.com/common/v2.0" }),
      /- IDP_MICROSOFT_ISSUER: must name one tenant/,
    ],
    ...["common", "organizations", "consumers", "contoso.onmicrosoft.com", TENANT.slice(1)].map((
      tenant,
    ): [Record<string, string>, RegExp] => [
      client("microsoft", { TENANT: tenant }),
      /- IDP_MICROSOFT_TENANT: must be the GUID of one tenant/,
    ]),
  ];
  for (const [env, problem] of cases) throws(() => readSettings(env), problem, JSON.stringify(env));
  const two = { IDP_PROVIDERS: "microsoft contoso", IDP_MICROSOFT_TENANT: "common", IDP_CONTOSO_TOKEN_URL: "x" };
  throws(() => readSettings(two), (error: Error) => {
    for (const name of ["MICROSOFT_TENANT", "MICROSOFT_CLIENT_ID", "CONTOSO_TOKEN_URL", "CONTOSO_AUTH_URL"]) {
      match(error.message, new RegExp(`^- IDP_${name}: `, "m"));
    }
    return true;
  });
});

Deno.test("a provider that may not verify addresses causes a warning that names its TRUST_EMAIL setting", () => {
  const url = "https://id.example/x";
  const plain = { AUTH_URL: url, TOKEN_URL: url, USERINFO_URL: url };
  const cases: [env: Record<string, string>, warning: RegExp | null][] = [
    [client("contoso", plain), /^IDP_CONTOSO_TRUST_EMAIL is not set: .*email_verified/],
    [client("contoso", { ...plain, TRUST_EMAIL: "true" }), null],
    [client("microsoft", { TENANT }), /^IDP_MICROSOFT_TRUST_EMAIL is not set: .*xms_edov/],
    [client("microsoft", { TENANT, TRUST_EMAIL: "true" }), null],
    [client("google"), null],
    [client("github"), null],
  ];
  for (const [env, warning] of cases) {
    const warnings = configWarnings(readSettings(env));
    strictEqual(warnings.length, warning === null ? 0 : 1, JSON.stringify(env));
    if (warning !== null) match(warnings[0], warning);
  }
});

Deno.test("groups of a provider are pairs, and a wrong one is named", () => {
  const read = (groups: string) => readSettings(client("gitlab", { GROUPS: groups })).providers[0].groups;
  deepStrictEqual(readSettings(client("gitlab")).providers[0].groups, {
    claim: "groups",
    pairs: [],
    keptSeconds: 30 * 86_400,
  });
  deepStrictEqual(read("6f1e:staff  urn:x:ops Wiki%20Editors:editors").pairs, [
    ["6f1e", "staff"],
    ["urn:x", "ops"],
    ["Wiki Editors", "editors"],
  ]);
  for (const wrong of ["staff", ":staff", "6f1e:", "6f1e:Staff", "%zz:staff"]) {
    throws(
      () => read(`a:b ${wrong}`),
      new RegExp(`IDP_GITLAB_GROUPS: ${wrong} must be value:group, such as 6f1e:staff`),
    );
  }
});
