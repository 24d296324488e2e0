import { deepStrictEqual, match, strictEqual, throws } from "node:assert/strict";
import { PRODUCTION } from "../../tests/support/production_variables.ts";
import { sources } from "../../tests/support/source/sources.ts";
import { ConfigError, readSettings } from "./config.ts";
import { SETTINGS } from "./environment.ts";

Deno.test("an empty environment is a complete development configuration", () => {
  const settings = readSettings({});
  strictEqual(settings.isProduction, false);
  strictEqual(settings.baseUrl, "http://localhost:8000");
  strictEqual(settings.host, "127.0.0.1");
  strictEqual(settings.sessionTtlSeconds, 604_800);
  strictEqual(settings.resetTokenTtlSeconds, 3_600);
  strictEqual(settings.uploadMaxBytes, 26_214_400);
  strictEqual(settings.unverifiedQuotaBytes, 26_214_400);
  strictEqual(settings.unverifiedKeptSeconds, 2_592_000);
  deepStrictEqual([settings.databaseUrl, settings.s3, settings.providers], [undefined, undefined, []]);
});

Deno.test("empty variables count as unset, and the port is in the base URL", () => {
  strictEqual(readSettings({ PORT: "9000", DATABASE_URL: "" }).baseUrl, "http://localhost:9000");
});

Deno.test("passkeys need a domain name, which localhost is at any loopback address", () => {
  const cases: [baseUrl: string, rpId: string, arePossible: boolean][] = [
    ["https://foyer.example", "foyer.example", true],
    ["https://4.example", "4.example", true],
    ["http://127.0.0.1:8000", "localhost", true],
    ["http://[::1]:8000", "localhost", true],
    ["https://192.0.2.1", "192.0.2.1", false],
    ["https://[2001:db8::1]:8443", "[2001:db8::1]", false],
  ];
  for (const [BASE_URL, rpId, arePossible] of cases) {
    const { passkeys } = readSettings({ BASE_URL });
    deepStrictEqual([passkeys.rpId, passkeys.arePossible], [rpId, arePossible], BASE_URL);
  }
});

Deno.test("production listens on all interfaces and requires some variables", () => {
  strictEqual(readSettings(PRODUCTION).host, "0.0.0.0");
  for (const name of ["BASE_URL", "APP_SECRET", "EMAIL_API_TOKEN", "EMAIL_FROM"]) {
    throws(() => readSettings({ ...PRODUCTION, [name]: "" }), new RegExp(`- ${name}: required in production`));
  }
  const EMAIL_URL = "smtps://foyer:secret@mail.example";
  strictEqual(readSettings({ ...PRODUCTION, EMAIL_API_TOKEN: "", EMAIL_URL }).emailUrl, EMAIL_URL);
});

Deno.test("production requires https in BASE_URL and RETURN_ORIGINS, except for loopback", () => {
  for (const BASE_URL of ["http://localhost:8000", "http://127.0.0.1", "http://[::1]:8000", "https://foyer.example"]) {
    strictEqual(readSettings({ ...PRODUCTION, BASE_URL }).baseUrl, BASE_URL);
  }
  for (const BASE_URL of ["http://foyer.example", "http://localhost.example", "http://10.0.0.1:8000"]) {
    throws(() => readSettings({ ...PRODUCTION, BASE_URL }), /- BASE_URL: must be https in production/);
    const returns = { ...PRODUCTION, RETURN_ORIGINS: `${PRODUCTION.BASE_URL} ${BASE_URL}` };
    throws(() => readSettings(returns), /- RETURN_ORIGINS: must be https in production/);
    strictEqual(readSettings({ BASE_URL }).baseUrl, BASE_URL);
  }
});

Deno.test("the message lists every problem", () => {
  const env = {
    PORT: "65536",
    DATABASE_URL: "mysql://x",
    PBKDF2_ITERATIONS: "1",
    PUBLIC_USER_EMAILS: "no",
    IDP_ISSUER: "x",
    IDP_TOKEN_URL: "http://idp.example/token",
    BASE_URL: "https://foyer.example",
    COOKIE_DOMAIN: "other.example",
  };
  throws(() => readSettings(env), (error: Error) => {
    strictEqual(error instanceof ConfigError, true);
    const { BASE_URL: _valid, ...invalid } = env;
    for (const name of [...Object.keys(invalid), "IDP_CLIENT_ID"]) {
      match(error.message, new RegExp(`^- ${name}: `, "m"));
    }
    return true;
  });
});

Deno.test("an origin in RETURN_ORIGINS that gets no session is refused by name", () => {
  const BASE_URL = "https://id.foyer.example";
  const cases: [origin: string, env: { COOKIE_DOMAIN?: string; BASE_URL?: string }, isValid: boolean][] = [
    ["https://wiki.foyer.example", { COOKIE_DOMAIN: "foyer.example" }, true],
    ["https://wiki.foyer.example", { COOKIE_DOMAIN: ".Foyer.example" }, true],
    ["https://foyer.example:8443", { COOKIE_DOMAIN: "foyer.example" }, true],
    ["https://id.foyer.example:8443", {}, true],
    ["http://localhost:3000", { BASE_URL: "http://localhost:8000" }, true],
    ["http://localhost:3000", { BASE_URL: undefined }, true],
    ["https://wiki.foyer.example", {}, false],
    ["https://wiki.foyer.example", { COOKIE_DOMAIN: "id.foyer.example" }, false],
    ["https://notfoyer.example", { COOKIE_DOMAIN: "foyer.example" }, false],
    ["https://foyer.example.evil.example", { COOKIE_DOMAIN: "foyer.example" }, false],
    ["http://127.0.0.1:3000", { BASE_URL: "http://localhost:8000" }, false],
  ];
  for (const [origin, env, isValid] of cases) {
    const base = "BASE_URL" in env ? env.BASE_URL : BASE_URL;
    const read = () => readSettings({ ...env, BASE_URL: base, RETURN_ORIGINS: `${base ?? ""} ${origin}` });
    if (isValid) read();
    else throws(read, new RegExp(`^- RETURN_ORIGINS: ${RegExp.escape(origin)} gets no session[^\n]*$`, "m"));
  }
});

Deno.test("an invalid value is refused", () => {
  const cases: [name: string, value: string, isValid: boolean][] = [
    ["BASE_URL", "https://foyer.example", true],
    ["BASE_URL", "https://foyer.example/", true],
    ["BASE_URL", "https://foyer.example/app", false],
    ["BASE_URL", "foyer.example", false],
    ["BASE_URL", "ftp://foyer.example", false],
    ["AVATAR_MAX_DIMENSION", "16383", true],
    ["AVATAR_MAX_DIMENSION", "16384", false],
    ["POST_IMAGE_MAX_DIMENSION", "16384", false],
    ["APP_SECRET", "é".repeat(16), true],
    ["APP_SECRET", "s".repeat(31), false],
    ["CORS_ORIGINS", "https://a.example  https://b.example", true],
    ["CORS_ORIGINS", "*", false],
    ["RETURN_ORIGINS", "http://localhost:8080  http://localhost:3000/", true],
    ["RETURN_ORIGINS", "https://a.example/path", false],
    ["RETURN_ORIGINS", "https://*.example", false],
    ["RETURN_ORIGINS", "https://ada@a.example", false],
    ["RETURN_ORIGINS", "a.example", false],
    ["TOKEN_AUDIENCES", "https://a.example/api  wiki", true],
    ["TOKEN_AUDIENCES", "wikí", false],
    ["LOGIN_MAX_ATTEMPTS", "0", true],
    ["LOGIN_MAX_ATTEMPTS", "-1", false],
    ["COOKIE_DOMAIN", "example.com; Secure", false],
    ["COOKIE_DOMAIN", "foyer.example", false],
    ["COOKIE_DOMAIN", "localhost", true],
    ["COOKIE_DOMAIN", ".localhost", true],
    ["AUDIT_LOG", "stdout", true],
    ["AUDIT_LOG", "/var/log/foyer/audit.jsonl", true],
    ["AUDIT_LOG", "audit.jsonl", false],
    ["HOST", "::1", true],
    ["HOST", "not a host!", false],
    ["EMAIL_API_TOKEN", "re_1\n2", false],
    ["EMAIL_API_TOKEN", "€", false],
    ["PORT", "0x10", false],
    ["LOGIN_MAX_ATTEMPTS", "1e2", false],
    ["ACCESS_TTL_SECONDS", "59", false],
    ["ACCESS_TTL_SECONDS", "60", true],
    ["ACCESS_TTL_SECONDS", "3600", true],
    ["ACCESS_TTL_SECONDS", "3601", false],
    ["ID_TOKEN_TTL_SECONDS", "59", false],
    ["ID_TOKEN_TTL_SECONDS", "86400", true],
    ["ID_TOKEN_TTL_SECONDS", "86401", false],
    ["REFRESH_GRACE_SECONDS", "0", true],
    ["REFRESH_GRACE_SECONDS", "300", true],
    ["REFRESH_GRACE_SECONDS", "301", false],
    ["GRANT_TTL_SECONDS", "0", false],
    ["GRANT_MAX_SECONDS", "1", true],
    ["LIMIT_AUTHORIZE", "off", true],
    ["LIMIT_CLIENT", "30", false],
    ["LIMIT_REGISTER", "off", true],
    ["LIMIT_REGISTER", "1/60", true],
    ["LIMIT_REGISTER", "0/60", false],
    ["LIMIT_REGISTER", "20", false],
    ["LIMIT_LOGIN", "20/3600/1", false],
    ["EMAIL_API_URL", "https://user:secret@mail.example", false],
    ["EMAIL_API_URL", "https://mail.example/?to=x", false],
    ["EMAIL_API_URL", "https://mail.example/v1", true],
    ["S3_BUCKET", "uploads", false],
    ["S3_PRIVATE_BUCKET", "uploads", false],
    ["EMAIL_FROM", "a@b.example\r\nBcc: x", false],
  ];
  for (const [name, value, isValid] of cases) {
    const read = () => readSettings({ [name]: value });
    if (isValid) read();
    else throws(read, new RegExp(`- ${name.replace(/^S3_.*/, "S3_ENDPOINT")}`), value);
  }
  const BASE_URL = "https://app.foyer.example";
  for (const domain of ["foyer.example", ".foyer.example", "app.foyer.example"]) {
    readSettings({ BASE_URL, COOKIE_DOMAIN: domain });
  }
  throws(() => readSettings({ BASE_URL, COOKIE_DOMAIN: "oyer.example" }), /- COOKIE_DOMAIN/);
});

Deno.test("the domains of addresses are compared in ASCII and lower case", () => {
  const domains = (value: string) => readSettings({ ALLOWED_EMAIL_DOMAINS: value }).allowedEmailDomains;
  deepStrictEqual(domains(""), []);
  deepStrictEqual(domains("  Example.COM  mail.example.com "), ["example.com", "mail.example.com"]);
  deepStrictEqual(domains("MÜNCHEN.example xn--mnchen-3ya.example"), Array(2).fill("xn--mnchen-3ya.example"));
  const invalid = ["@example.com", "example", "example.com.", "10.0.0.1", "0x7f.1", "example.com:25", "a_b.example"];
  for (const value of [...invalid, "https://example.com", "example.com/", "ada@example.com"]) {
    throws(() => domains(`valid.example ${value}`), /- ALLOWED_EMAIL_DOMAINS: must be domain names/, value);
  }
});

Deno.test("the domains that need a provider are compared in ASCII and lower case", () => {
  const github = { IDP_PROVIDERS: "github", IDP_GITHUB_CLIENT_ID: "id", IDP_GITHUB_CLIENT_SECRET: "secret" };
  const domains = (value: string) => readSettings({ SIGN_IN_DOMAINS: value, ...github }).signInDomains;
  deepStrictEqual(domains(""), []);
  deepStrictEqual(domains(" MÜNCHEN.example:github  mail.Example.COM:github "), [
    { domain: "xn--mnchen-3ya.example", provider: "github" },
    { domain: "mail.example.com", provider: "github" },
  ]);
  const own = { IDP_ISSUER: "https://id.example", IDP_CLIENT_ID: "id" };
  deepStrictEqual(readSettings({ SIGN_IN_DOMAINS: "example.com:default", ...own }).signInDomains, [
    { domain: "example.com", provider: "default" },
  ]);
});

Deno.test("an account can be deleted without days of grace", () => {
  strictEqual(readSettings({ DELETION_GRACE_DAYS: "0" }).deletionGraceSeconds, 0);
  throws(() => readSettings({ DELETION_GRACE_DAYS: "-1" }), /- DELETION_GRACE_DAYS/);
});

Deno.test("tokens of apps last as long as the documentation says", () => {
  const settings = readSettings({});
  strictEqual(settings.accessTtlSeconds, 300);
  strictEqual(settings.idTokenTtlSeconds, 3600);
  strictEqual(settings.grantTtlSeconds, 2_592_000);
  strictEqual(settings.grantMaxSeconds, 31_536_000);
  strictEqual(settings.refreshGraceSeconds, 60);
  deepStrictEqual(settings.limits.authorize, { quota: 30, windowSeconds: 60 });
  deepStrictEqual(settings.limits.client, { quota: 30, windowSeconds: 900 });
});

Deno.test("LIMIT_LOGIN overrides LOGIN_MAX_ATTEMPTS and LOGIN_WINDOW_SECONDS", () => {
  const old = { LOGIN_MAX_ATTEMPTS: "7", LOGIN_WINDOW_SECONDS: "60" };
  const login = (env: Record<string, string>) => readSettings(env).limits.login;
  deepStrictEqual(login({}), { quota: 5, windowSeconds: 900 });
  deepStrictEqual(login(old), { quota: 7, windowSeconds: 60 });
  deepStrictEqual(login({ ...old, LIMIT_LOGIN: "8/30" }), { quota: 8, windowSeconds: 30 });
  strictEqual(login({ ...old, LIMIT_LOGIN: "off" }), null);
  strictEqual(login({ LOGIN_MAX_ATTEMPTS: "0" }), null);
});

Deno.test("DENO_JOBS isolates serve with PostgreSQL, and one with the embedded database", () => {
  const isolates = (env: Record<string, string>) => readSettings(env).isolates;
  strictEqual(isolates({ DATABASE_URL: "postgres://db/foyer", DENO_JOBS: "3" }), 3);
  strictEqual(isolates({ DENO_JOBS: "3" }), 1);
  throws(() => isolates({ DENO_JOBS: "0" }), /DENO_JOBS/);
});

Deno.test("every setting is read somewhere", async () => {
  let code = "";
  for await (const [, text] of sources(new URL(".", import.meta.url))) code += text;
  const isRead = (name: string) => new RegExp(`(env\\.|[{,] )${name}\\b(?!: \\{)`).test(code);
  deepStrictEqual(Object.keys(SETTINGS).filter((name) => !name.startsWith("LIMIT_") && !isRead(name)), []);
});
