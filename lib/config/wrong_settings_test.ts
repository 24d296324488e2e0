import { deepStrictEqual, doesNotMatch, ok, strictEqual } from "node:assert/strict";
import { PRODUCTION as REQUIRED } from "../../tests/support/production_variables.ts";
import { configWarnings, readSettings } from "./config.ts";
import { exampleOf } from "./examples.ts";
import { Environment, VARIABLES } from "./environment.ts";

const PRODUCTION = {
  ...REQUIRED,
  DATABASE_URL: "postgres://foyer@db/foyer",
  PUBLIC_USER_EMAILS: "false",
  LOGIN_COUNTS: "failures",
};
const GITHUB = { IDP_PROVIDERS: "github", IDP_GITHUB_CLIENT_ID: "id", IDP_GITHUB_CLIENT_SECRET: "secret" };
const MAIL_SERVER = "must be an smtp or smtps URL with a host, and with a user and a password or neither";
const DOMAINS = "must be domain names, such as example.com, separated by spaces";
const PLAIN = {
  IDP_CLIENT_ID: "foyer",
  IDP_AUTH_URL: "https://id.example/auth",
  IDP_TOKEN_URL: "https://id.example/token",
  IDP_USERINFO_URL: "https://id.example/me",
};

const PUBLIC_SUFFIX = "must have a dot: browsers ignore a cookie for a public suffix such as com";
const LIMIT = "count and seconds must be 1 to 9999999, or off";
const DATABASE = "must be a postgres:// URL. In its password, write characters such as # / ? @ as %23 %2F %3F %40";
const ORIGIN = "must be an origin: scheme and host, without a path";

/** What stops the start: the environment, the variable that the message names, the reason, and what to change. */
const STOPS: [env: Record<string, string>, name: string, reason: string, example?: string][] = [
  [{ APP_NAME: "Acme\n" + "x".repeat(60) }, "APP_NAME", "must have no control characters, < or >"],
  [{ APP_NAME: "x".repeat(61) }, "APP_NAME", "must have at most 60 characters"],
  [{ APP_URL: "acme.example" }, "APP_URL", "must be an http or https URL"],
  [{ ...PRODUCTION, APP_URL: "http://acme.example" }, "APP_URL", "must be https in production"],
  [{ ...PRODUCTION, PRIVACY_URL: "http://acme.example/privacy" }, "PRIVACY_URL", "must be https in production"],
  [{ PASSWORDS: "none" }, "PASSWORDS", "must be on or existing or off"],
  [
    { PASSWORDS: "off" },
    "PASSWORDS",
    "off needs another way to log in: an identity provider, or SIGN_IN_CODES=true",
    "PASSWORDS=existing",
  ],
  [{ SIGN_IN_DOMAINS: " " }, "SIGN_IN_DOMAINS", "must name a domain and its provider"],
  ...["example.com", "example.com:", ":github", "example:github", "ann@example.com:github", "example.com:github:x"].map(
    (
      pair,
    ): [Record<string, string>, string, string] => [
      { SIGN_IN_DOMAINS: `example.org:github ${pair}`, ...GITHUB },
      "SIGN_IN_DOMAINS",
      `${pair} must be a domain and the key of a provider, such as example.com:contoso`,
    ],
  ),
  [
    { SIGN_IN_DOMAINS: "example.com:github EXAMPLE.com:github", ...GITHUB },
    "SIGN_IN_DOMAINS",
    "example.com appears twice",
  ],
  [
    { SIGN_IN_DOMAINS: "example.com:contoso" },
    "SIGN_IN_DOMAINS",
    "there is no provider contoso; IDP_PROVIDERS names none",
  ],
  [
    { SIGN_IN_DOMAINS: "example.com:contoso example.org:default", ...GITHUB },
    "SIGN_IN_DOMAINS",
    "there is no provider contoso, only github",
  ],
  [{ BRAND_COLOR: "red" }, "BRAND_COLOR", "must be a color such as #1f6355"],
  [{ BRAND_COLOR_DARK: "#12345" }, "BRAND_COLOR_DARK", "must be a color such as #1f6355"],
  [{ BRAND_LOGO: "http://acme.example/logo.png" }, "BRAND_LOGO", "must be a file or an https URL"],
  [{ BRAND_LOGO: "data:image/png;base64,AA" }, "BRAND_LOGO", "must be a file or an https URL"],
  [{ BRAND_LOGO: "logo.gif" }, "BRAND_LOGO", "must be an SVG or a PNG"],
  [{ BRAND_LOGO_DARK: "logo.svg" }, "BRAND_LOGO", "required with BRAND_LOGO_DARK"],
  [{ BRAND_CSS: "https://acme.example/a.css,b" }, "BRAND_CSS", "must be the path of a .css file"],
  [{ SUPPORT_EMAIL: "acme.example" }, "SUPPORT_EMAIL", "must be an email address"],
  ...["//evil.example", "/\\evil.example", "dashboard", "/", "javascript:alert(1)"].map((
    AFTER_LOGIN_URL,
  ): [Record<string, string>, string, string] => [
    { AFTER_LOGIN_URL },
    "AFTER_LOGIN_URL",
    "must be a path such as /dashboard, or an http or https URL",
  ]),
  [{ AFTER_LOGIN_URL: "/login" }, "AFTER_LOGIN_URL", "must not be a page for guests"],
  [
    { AFTER_LOGIN_URL: "https://app.example" },
    "AFTER_LOGIN_URL",
    "must be a path, or an address whose origin is in RETURN_ORIGINS",
  ],
  [{ ...PRODUCTION, WEBHOOK_ALLOW_PRIVATE: "true" }, "WEBHOOK_ALLOW_PRIVATE", "must not be true in production"],
  [
    { ...PRODUCTION, CLIENT_METADATA_ALLOW_PRIVATE: "true" },
    "CLIENT_METADATA_ALLOW_PRIVATE",
    "must not be true in production",
  ],
  [
    { CLIENT_METADATA_DOCUMENTS: "https://agent.example" },
    "CLIENT_METADATA_DOCUMENTS",
    "https://agent.example: must be a host name or an IP address, without scheme and port",
  ],
  [
    { WEBHOOK_PRIVATE_HOSTS: "http://backend.internal:3000" },
    "WEBHOOK_PRIVATE_HOSTS",
    "http://backend.internal:3000: must be a host name or an IP address, without scheme and port",
  ],
  [{ PORT: "80a" }, "PORT", "must be a whole number from 0 to 65535"],
  [{ PORT: "70000" }, "PORT", "must be a whole number from 0 to 65535"],
  [
    { APP_ENV: "test", BASE_URL: "https://foyer.example" },
    "BASE_URL",
    "must be an address of this machine with APP_ENV=test, such as http://localhost:8000",
  ],
  [{ APP_ENV: "prod" }, "APP_ENV", "must be development or production or test"],
  [{ LOG_FORMAT: "pretty" }, "LOG_FORMAT", "must be json or text"],
  [{ HOST: "https://foyer.example" }, "HOST", "must be a host name or an IP address of this machine"],
  [{ METRICS_PORT: "0" }, "METRICS_PORT", "must be a whole number from 1 to 65535"],
  [{ METRICS_PORT: "metrics" }, "METRICS_PORT", "must be a whole number from 1 to 65535"],
  [{ METRICS_PORT: "8000" }, "METRICS_PORT", "must differ from PORT"],
  [{ METRICS_HOST: "http://localhost" }, "METRICS_HOST", "must be a host name or an IP address of this machine"],
  [{ BASE_URL: "foyer.example" }, "BASE_URL", ORIGIN],
  [{ BASE_URL: "https://foyer.example/app" }, "BASE_URL", ORIGIN],
  [{ ...PRODUCTION, BASE_URL: "" }, "BASE_URL", "required in production"],
  [
    { ...PRODUCTION, BASE_URL: "http://foyer.example" },
    "BASE_URL",
    "must be https in production, except for a loopback name such as localhost",
  ],
  [{ ...PRODUCTION, APP_SECRET: "" }, "APP_SECRET", "required in production"],
  [{ ...PRODUCTION, APP_SECRET: "changeme" }, "APP_SECRET", "must be at least 32 bytes"],
  [
    { ...PRODUCTION, EMAIL_API_TOKEN: "" },
    "EMAIL_API_TOKEN",
    "required in production, unless EMAIL_URL names a mail server",
  ],
  [
    { ...PRODUCTION, EMAIL_URL: "smtps://mail.example" },
    "EMAIL_URL",
    "cannot be set together with EMAIL_API_TOKEN; remove one",
  ],
  [{ EMAIL_URL: "mail.example:587" }, "EMAIL_URL", MAIL_SERVER],
  [{ EMAIL_URL: "https://mail.example" }, "EMAIL_URL", MAIL_SERVER],
  [{ EMAIL_URL: "smtp://foyer@mail.example" }, "EMAIL_URL", MAIL_SERVER],
  [{ EMAIL_URL: "smtp://mail.example/?pool=true" }, "EMAIL_URL", MAIL_SERVER],
  [{ ...PRODUCTION, EMAIL_FROM: "" }, "EMAIL_FROM", "required in production"],
  [{ EMAIL_FROM: "Foyer" }, "EMAIL_FROM", "must be an email address"],
  [{ EMAIL_API_URL: "api.resend.com" }, "EMAIL_API_URL", "must be an http or https URL"],
  [{ ...PRODUCTION, EMAIL_API_URL: "http://mail.example" }, "EMAIL_API_URL", "must be https in production"],
  [{ DATABASE_URL: "mysql://db/foyer" }, "DATABASE_URL", DATABASE],
  [{ DATABASE_URL: "postgres://foyer:1#2@db/foyer" }, "DATABASE_URL", DATABASE],
  [{ COOKIE_DOMAIN: "https://foyer.example" }, "COOKIE_DOMAIN", "must be a domain name"],
  [
    { ...PRODUCTION, COOKIE_DOMAIN: "other.example" },
    "COOKIE_DOMAIN",
    "must be the host of BASE_URL or a parent domain of it",
  ],
  [
    { ...PRODUCTION, PASSKEY_RP_ID: "other.example" },
    "PASSKEY_RP_ID",
    "must be the host of BASE_URL or a parent domain of it",
  ],
  [
    { ...PRODUCTION, COOKIE_DOMAIN: "foyer.example", RETURN_ORIGINS: "https://a.foyer.example https://wiki.example" },
    "RETURN_ORIGINS",
    "https://wiki.example gets no session: it must have the host of BASE_URL or be inside COOKIE_DOMAIN",
    "COOKIE_DOMAIN=example.com",
  ],
  [{ ...PRODUCTION, COOKIE_DOMAIN: "com", BASE_URL: "https://foyer.com" }, "COOKIE_DOMAIN", PUBLIC_SUFFIX],
  [{ COOKIE_DOMAIN: ".com", BASE_URL: "https://foyer.com" }, "COOKIE_DOMAIN", PUBLIC_SUFFIX],
  [{ CORS_ORIGINS: "*" }, "CORS_ORIGINS", "`*` is not possible: name each origin"],
  [{ CORS_ORIGINS: "https://*.example" }, "CORS_ORIGINS", "https://*.example: name each origin, without wildcards"],
  [{ RETURN_ORIGINS: "*" }, "RETURN_ORIGINS", "`*` is not possible: name each origin"],
  [{ API_ORIGIN: "https://a.example wiki" }, "API_ORIGIN", `wiki ${ORIGIN}`],
  [{ RETURN_ORIGINS: "https://a.example/x" }, "RETURN_ORIGINS", `https://a.example/x ${ORIGIN}`],
  [
    { API_ORIGIN: "https://a.example https://b.example,https://c.example" },
    "API_ORIGIN",
    "https://b.example,https://c.example: separate origins with spaces",
  ],
  [
    { CORS_ORIGINS: "https://a.example, https://b.example" },
    "CORS_ORIGINS",
    "https://a.example,: separate origins with spaces",
  ],
  [{ TOKEN_AUDIENCES: "notes.example.com,https://x.example.com" }, "TOKEN_AUDIENCES", "must be separated by spaces"],
  [{ TOKEN_AUDIENCES: "wiki, notes" }, "TOKEN_AUDIENCES", "must be separated by spaces"],
  [{ AUDIT_LOG: "syslog:514" }, "AUDIT_LOG", "must be stdout or an absolute path"],
  [{ AUDIT_LOG: "./audit.jsonl" }, "AUDIT_LOG", "must be stdout or an absolute path"],
  [{ TEXTS_DIR: "./texts" }, "TEXTS_DIR", "must be an absolute path"],
  [{ DEFAULT_LANGUAGE: "Deutsch, bitte" }, "DEFAULT_LANGUAGE", "must be the tag of a language"],
  [{ TRUSTED_PROXIES: "10.0.0.1" }, "TRUSTED_PROXIES", "must be a whole number from 0 to 10"],
  [{ SESSION_TTL_SECONDS: "7d" }, "SESSION_TTL_SECONDS", "must be a whole number from 1 to 31536000"],
  [{ LIMIT_LOGIN: "5" }, "LIMIT_LOGIN", "must be count/seconds or off", "LIMIT_LOGIN=5/900"],
  [{ LIMIT_TOKEN: "none" }, "LIMIT_TOKEN", "must be count/seconds or off", "LIMIT_TOKEN=600/60"],
  [{ LIMIT_WRITE: "0/60" }, "LIMIT_WRITE", LIMIT, "LIMIT_WRITE=600/3600"],
  [{ LIMIT_PROOF: "5/10000000" }, "LIMIT_PROOF", LIMIT, "LIMIT_PROOF=5/900"],
  [{ REGISTRATION: "invite" }, "REGISTRATION", "must be open or invited or closed"],
  [{ ALLOWED_EMAIL_DOMAINS: " " }, "ALLOWED_EMAIL_DOMAINS", "must name a domain"],
  [{ ALLOWED_EMAIL_DOMAINS: "*.example.com" }, "ALLOWED_EMAIL_DOMAINS", DOMAINS],
  [{ ALLOWED_EMAIL_DOMAINS: "example.com,example.org" }, "ALLOWED_EMAIL_DOMAINS", DOMAINS],
  [{ PEOPLE: "public" }, "PEOPLE", "must be all or verified or members or off"],
  [{ SIGN_IN_CODES: "yes" }, "SIGN_IN_CODES", "must be true or false"],
  [{ S3_BUCKET: "uploads" }, "S3_ENDPOINT", "required with any other S3_ variable"],
  [{ S3_BUCKET: "a", S3_PRIVATE_BUCKET: "a" }, "S3_PRIVATE_BUCKET", "must differ from S3_BUCKET, or be unset"],
  [{ IDP_ISSUER: "https://id.example" }, "IDP_CLIENT_ID", "required with an identity provider"],
  [
    { IDP_PROVIDERS: "google, github" },
    "IDP_PROVIDERS",
    "google, must be lower-case letters, digits and _, starting with a letter",
  ],
  [{ IDP_PROVIDERS: "google" }, "IDP_GOOGLE_CLIENT_ID", "required with an identity provider"],
  [
    { IDP_PROVIDERS: "microsoft", IDP_MICROSOFT_TENANT: "common" },
    "IDP_MICROSOFT_TENANT",
    "must be the GUID of one tenant",
  ],
  [
    { ...GITHUB, IDP_GITHUB_SCOPES: "read:user" },
    "IDP_GITHUB_SCOPES",
    "must contain user:email, because private addresses are listed nowhere else",
  ],
  [
    { ...PLAIN, IDP_ISSUER: "https://id.example" },
    "IDP_AUTH_URL",
    "must not be set with IDP_ISSUER, which provides it",
  ],
];

/** What causes a warning: the environment, and the variables that it names. */
const WARNS: [env: Record<string, string>, name: string, other?: string][] = [
  [{ ...PRODUCTION, DATABASE_URL: "" }, "DATABASE_URL"],
  [{ ...PRODUCTION, DATABASE_URL: "postgres://foyer@db.example/foyer" }, "DATABASE_URL"],
  [PLAIN, "IDP_TRUST_EMAIL"],
  [{ IDP_CLIENT_ID: "foyer" }, "IDP_CLIENT_ID"],
  [{ IDP_GITHUB_CLIENT_ID: "id" }, "IDP_GITHUB_CLIENT_ID"],
  [{ BASE_URI: "https://foyer.example" }, "BASE_URI"],
  [{ SESSION_TTL_SECONDS: "3601", SESSION_MAX_SECONDS: "3600" }, "SESSION_TTL_SECONDS", "SESSION_MAX_SECONDS"],
  [{ UPLOAD_MAX_BYTES: "11", UPLOAD_QUOTA_BYTES: "10" }, "UPLOAD_MAX_BYTES", "UPLOAD_QUOTA_BYTES"],
  [{ DENO_JOBS: "2" }, "DENO_JOBS", "DATABASE_URL"],
  [{ PASSWORDS: "existing" }, "PASSWORDS", "SIGN_IN_CODES"],
  [{ METRICS_HOST: "0.0.0.0" }, "METRICS_HOST", "METRICS_PORT"],
  [{ LIMIT_LOGIN: "5/60", LOGIN_MAX_ATTEMPTS: "5" }, "LIMIT_LOGIN", "LOGIN_MAX_ATTEMPTS"],
  [{ ...PRODUCTION, PUBLIC_USER_EMAILS: "" }, "PEOPLE", "PUBLIC_USER_EMAILS"],
  [{ ...PRODUCTION, LOGIN_COUNTS: "" }, "LOGIN_COUNTS"],
  [{ LIMIT_LOGIN: "off", LOGIN_WINDOW_SECONDS: "60" }, "LIMIT_LOGIN", "LOGIN_WINDOW_SECONDS"],
  [{ ...PRODUCTION, LIMIT_MAIL_ADDRESS: "off" }, "LIMIT_MAIL_ADDRESS"],
  [{ TOKEN_AUDIENCES: "https://app.example/" }, "TOKEN_AUDIENCES", "https://app.example/"],
  [{ TOKEN_AUDIENCES: "https://App.example" }, "TOKEN_AUDIENCES", "https://App.example"],
  [{ TOKEN_AUDIENCES: "https://app.example:443" }, "TOKEN_AUDIENCES", "https://app.example:443"],
];

/** Settings that look like these, and agree. */
const AGREES: Record<string, string>[] = [
  {},
  PRODUCTION,
  { ...PRODUCTION, PUBLIC_USER_EMAILS: "", PEOPLE: "all" },
  { ...PRODUCTION, LOGIN_COUNTS: "attempts" },
  { ...PRODUCTION, LOGIN_COUNTS: "", LIMIT_LOGIN: "off" },
  { SESSION_TTL_SECONDS: "3600", SESSION_MAX_SECONDS: "3600" },
  { UPLOAD_MAX_BYTES: "10", UPLOAD_QUOTA_BYTES: "10" },
  { UPLOAD_MAX_BYTES: "10", UPLOAD_QUOTA_BYTES: "0" },
  { DENO_JOBS: "1" },
  { PASSWORDS: "existing", SIGN_IN_CODES: "true" },
  { PASSWORDS: "existing", ...GITHUB },
  { METRICS_PORT: "9464", METRICS_HOST: "0.0.0.0" },
  { DENO_JOBS: "2", DATABASE_URL: "postgres://foyer@db/foyer" },
  { LIMIT_LOGIN: "5/60", LOGIN_MAX_ATTEMPTS: "" },
  { TOKEN_AUDIENCES: "https://app.example https://api.example/v1/ wiki" },
  { LOGIN_MAX_ATTEMPTS: "5", LOGIN_WINDOW_SECONDS: "60" },
];

Deno.test("a wrong setting stops the start with its name, the reason and an example", () => {
  for (const [env, name, reason, example = exampleOf(name)] of STOPS) {
    const lines = problemsOf(env);
    const line = lines.find((line) => line.startsWith(`- ${name}: `));
    strictEqual(line, `- ${name}: ${reason}. Example: ${example}`, lines.join("\n"));
    for (const line of lines.slice(1)) ok(line.includes(". Example: "), line);
    doesNotMatch(lines.join(), /--allow|-A\b/);
  }
});

Deno.test("a setting that is probably wrong causes a warning with its name, the reason and an example", () => {
  for (const [env, name, other = ""] of WARNS) {
    const warnings = configWarnings(readSettings(env), env);
    deepStrictEqual(warnings.map((warning) => warning.match(/^\w+/)![0]), [name]);
    ok(/Example: [A-Z0-9_]+=/.test(warnings[0]), warnings[0]);
    ok(warnings[0].split(" Example:")[0].includes(other), warnings[0]);
  }
});

Deno.test("settings that agree cause no warning", () => {
  for (const env of AGREES) deepStrictEqual(configWarnings(readSettings(env), env), [], JSON.stringify(env));
});

Deno.test("the credentials in an entry of a list are not shown", () => {
  const lines = problemsOf({ CORS_ORIGINS: "https://ada:hunter2@a.example https://ada:hunter2@b.example,c" });
  strictEqual(lines.length, 3);
  ok(!lines.join().includes("hunter2"), lines.join());
});

Deno.test("a value is never shown, because it may be a secret", () => {
  const lines = problemsOf({ APP_SECRET: "hunter2", EMAIL_API_TOKEN: "hunter2 ", DATABASE_URL: "hunter2" });
  strictEqual(lines.length, 4);
  ok(!lines.join().includes("hunter2"));
});

Deno.test("the example of each variable is valid", () => {
  for (const name of VARIABLES) {
    const [shown, value] = exampleOf(name).replaceAll('"', "").split(/=(.*)/);
    strictEqual(shown, name);
    const { error } = Environment.safeParse({ [name]: value });
    strictEqual(error, undefined, `${name}: ${error?.message}`);
  }
});

function problemsOf(env: Record<string, string>): string[] {
  try {
    readSettings(env);
  } catch (error) {
    return (error as Error).message.split("\n");
  }
  throw new Error(`The start was not stopped by ${JSON.stringify(env)}`);
}

Deno.test("PASSWORDS=off needs a provider or emailed codes, and existing needs nothing", () => {
  strictEqual(readSettings({ PASSWORDS: "off", SIGN_IN_CODES: "true" }).passwords, "off");
  strictEqual(readSettings({ PASSWORDS: "off", ...GITHUB }).passwords, "off");
  strictEqual(readSettings({ PASSWORDS: "off", ...PLAIN, IDP_CLIENT_SECRET: "secret" }).passwords, "off");
  strictEqual(readSettings({ PASSWORDS: "existing" }).passwords, "existing");
  strictEqual(readSettings({}).passwords, "on");
});
