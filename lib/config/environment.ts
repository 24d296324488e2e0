import { isAbsolute } from "node:path";
import { z } from "zod";
import { BRAND } from "./brand_variables.ts";
import { DAY_SECONDS, HOUR_SECONDS, MINUTE_SECONDS } from "../duration.ts";
import { databaseUrlProblem } from "./database_url.ts";
import { LIMIT_SETTINGS } from "./limits.ts";
import { DEFAULT_PROVIDER, prefixOf } from "./provider_settings.ts";
import { PROVIDER_SETTINGS, PROVIDER_VARIABLES } from "./provider_variables.ts";
import { secondFactorPolicy } from "./second_factor_setting.ts";
import { PASSWORDS_CHOICES } from "./passwords_setting.ts";
import { signInDomains } from "./sign_in_domains.ts";
import { UPLOADS_CHOICES } from "./uploads_setting.ts";
import {
  domainName,
  flag,
  hosts,
  origin,
  origins,
  rulesOf,
  type Settings,
  someHosts,
  webUrl,
  whole,
  words,
} from "./variable_types.ts";

const MEBIBYTE = 1024 * 1024;
const SECRET_MIN_BYTES = 32;
/** The origin in development if BASE_URL is not set, without the port. */
export const DEVELOPMENT_ORIGIN = "http://localhost";
const oneOf = <const Values extends string[]>(...values: Values) => z.enum(values, `must be ${values.join(" or ")}`);
const seconds = (max: number) => whole(1, max);
/** A URL to which Foyer appends a path. */
const baseAddress = webUrl.refine(
  (value) => !/[?#]/.test(value) && !URL.parse(value)?.username,
  "must have no query and no credentials",
);
const mailServer = z.string().refine((value) => {
  const url = URL.parse(value);
  const isComplete = url !== null && /^smtps?:$/.test(url.protocol) && url.hostname !== "";
  return isComplete && /^\/?$/.test(url.pathname + url.search + url.hash) &&
    (url.username !== "") === (url.password !== "");
}, "must be an smtp or smtps URL with a host, and with a user and a password or neither");
/** The `aud` of a token: the URL or the name of a product. */
const audiences = words.refine((list) => !list.join("").includes(","), "must be separated by spaces").pipe(
  z.array(z.string().regex(/^[!-~]{1,255}$/, "must be visible ASCII, at most 255 characters each")),
);

const auditLog = z.string().refine(
  (value) => value === "stdout" || isAbsolute(value),
  "must be stdout or an absolute path",
);
const databaseUrl = z.string().refine((value) => databaseUrlProblem(value) === null, {
  error: ({ input }) => databaseUrlProblem(String(input)) ?? undefined,
});
const host = z.string().regex(/^[a-z0-9.:_-]+$/i, "must be a host name or an IP address of this machine");
const cookieDomain = z.string()
  .regex(/^\.?[a-z0-9-]+(\.[a-z0-9-]+)*$/i, { error: "must be a domain name", abort: true })
  .refine(
    (value) => /.\.|^\.?localhost$/i.test(value),
    "must have a dot: browsers ignore a cookie for a public suffix such as com",
  );

function isLongSecret(value: string): boolean {
  return new TextEncoder().encode(value).length >= SECRET_MIN_BYTES;
}

const SERVICE = {
  APP_ENV: {
    rule: oneOf("development", "production", "test").default("development"),
    example: "production",
    says: "`development` or `production`; `test` for the tests of a product: nothing is limited unless its limit is " +
      "set, and the clock [can be moved](client.md#in-your-tests)",
  },
  LOG_FORMAT: {
    rule: oneOf("json", "text").optional(),
    example: "json",
    unset: "`json` or `text`",
    says:
      "the form of the log: `json` for programs, or `text` for people. Only a terminal in development gets text by default",
  },
  AUDIT_LOG: {
    rule: auditLog.optional(),
    example: "/var/log/foyer/audit.jsonl",
    says:
      "where each event is written as a line of JSON, for a collector: `stdout`, or the absolute path of a file; see [operations.md](operations.md#audit-log)",
  },
  LOG_LEVEL: {
    rule: oneOf("info", "warn", "error").default("info"),
    says: "the least severe lines of the log: `info`, `warn` or `error`. Requests are `info`",
  },
  PORT: {
    rule: whole(0, 65_535).default(8000),
    says: "the port to listen on; 0 for any that is free. The line `listening` of the log has the address",
  },
  HOST: {
    rule: host.optional(),
    example: "0.0.0.0",
    unset: "127.0.0.1; in production 0.0.0.0",
    says: "the address to listen on",
  },
  METRICS_PORT: {
    rule: whole(1, 65_535).optional(),
    example: "9464",
    says:
      "the port at which Prometheus reads the [metrics](operations.md#metrics), at `/metrics`. It must differ from `PORT`, and visitors must not reach it",
  },
  METRICS_HOST: {
    rule: host.default("127.0.0.1"),
    says: "the address of that port. Another machine or a container needs one such as 0.0.0.0",
  },
  BASE_URL: {
    rule: origin.optional(),
    example: "https://foyer.example.com",
    unset: "`http://localhost:PORT`",
    isRequired: true,
    says:
      "the public origin. Links in emails, redirects and file URLs start with it. Must be https in production, except for loopback names",
  },
  DATABASE_URL: {
    rule: databaseUrl.optional(),
    example: "postgres://foyer@db.example.com/foyer?sslmode=verify-full",
    says:
      "`postgres://...`, in production with `?sslmode=verify-full` unless the server is in a private network; [what it may have](deployment.md#the-address-of-postgresql). If unset, the embedded database in `DATA_DIR`, for one process",
  },
  DATA_DIR: {
    rule: z.string().default(".data"),
    says: "holds the embedded database, stored files, development outbox and generated secret",
  },
  DEFAULT_LANGUAGE: {
    rule: z.string().regex(/^[a-zA-Z]{2,8}(-[a-zA-Z0-9]{1,8})*$/, "must be the tag of a language").default("en"),
    example: "de",
    says: "the tag of the language for people whose browser asks for none that there is",
  },
  TEXTS_DIR: {
    rule: z.string().refine(isAbsolute, "must be an absolute path").optional(),
    example: "/etc/foyer/texts",
    says:
      "the absolute path of a folder with your own texts, which replace single texts or add languages; [texts.md](texts.md#your-own-texts)",
  },
  APP_SECRET: {
    rule: z.string().refine(isLongSecret, "must be at least 32 bytes").optional(),
    example: "... (the output of openssl rand -base64 32)",
    unset: "generated into `DATA_DIR`",
    isRequired: true,
    says:
      "at least 32 bytes, the same on all instances. Protects queued emails, emailed codes, authenticator apps, upload URLs, passkeys and the keys of access tokens",
  },
  APP_SECRET_PREVIOUS: {
    rule: words.refine((list) => list.every(isLongSecret), "must be at least 32 bytes each").default([]),
    example: "the-former-secret-of-at-least-32-bytes",
    says: "former secrets, separated by spaces. They open what they have protected; nothing new is protected with them",
  },
  COOKIE_DOMAIN: {
    rule: cookieDomain.optional(),
    example: "example.com",
    unset: "this host only",
    says:
      "domain of the session cookie: the host of `BASE_URL` or a parent domain of it with a dot, such as `example.com`",
  },
  API_ORIGIN: {
    rule: origins({ allowsWildcards: true }).default([]),
    example: "https://api.example.com",
    says: "other origins that pages may connect to (CSP), separated by spaces",
  },
  CORS_ORIGINS: {
    rule: origins().default([]),
    example: "https://app.example.com https://admin.example.com",
    says:
      "origins whose pages may call the whole API with the session of the person who opens them, separated by spaces, without wildcards: read and change everything, and log in. Only for front ends of your own that you trust like Foyer itself. A product belongs in `TOKEN_AUDIENCES`",
  },
  RETURN_ORIGINS: {
    rule: origins().default([]),
    example: "https://app.example.com https://wiki.example.com",
    says:
      "origins of products that `next` may lead to after logging in, besides `BASE_URL`, separated by spaces. Each has the host of `BASE_URL` or is inside `COOKIE_DOMAIN`: others would get no session. Must be https in production, except for loopback names",
  },
  TOKEN_AUDIENCES: {
    rule: audiences.default([]),
    example: "https://app.example.com wiki",
    says:
      "products that `POST /auth/token` issues access tokens for, separated by spaces: origins, other URLs, or names. Pages of such an origin get tokens for it, and may call `GET /auth/check` and `POST /auth/logout`, in production only on https or this machine. Others are for our pages and `CORS_ORIGINS`",
  },
  TRUSTED_PROXIES: {
    rule: whole(0, 10).default(0),
    example: "1",
    says: "number of proxies whose `X-Forwarded-For` entry is trusted",
  },
  // Only Linux distributes the connections of a port among several listeners.
  DENO_JOBS: {
    rule: whole(1, 1024).default(Deno.build.os === "linux" ? navigator.hardwareConcurrency : 1),
    unset: "number of cores; 1 outside Linux",
    says: "isolates (threads) that serve requests with PostgreSQL. With the embedded database there is one",
  },
  VARIABLE_NAMES: {
    rule: z.string().optional(),
    example: "HOME PATH",
    says: "the names of all variables, among which the service finds misspelled settings; the launcher sets it",
  },
} satisfies Settings;

const ACCOUNTS = {
  REGISTRATION: {
    rule: oneOf("open", "invited", "closed").default("open"),
    says: "who may open an account: `open` for anyone, `invited` for people whom a member invites, `closed` for no one",
  },
  ALLOWED_EMAIL_DOMAINS: {
    rule: words.pipe(z.array(domainName).min(1, "must name a domain")).optional(),
    example: "example.com example.org",
    unset: "any",
    says: "the domains of the addresses that accounts may get, separated by spaces. Pages and errors name them",
  },
  SESSION_TTL_SECONDS: {
    rule: seconds(365 * DAY_SECONDS).default(7 * DAY_SECONDS),
    says: "lifetime of a session, extended while it is used",
  },
  SESSION_MAX_SECONDS: {
    rule: seconds(3650 * DAY_SECONDS).default(90 * DAY_SECONDS),
    says: "its absolute limit, not less than the lifetime",
  },
  PASSKEY_RP_ID: {
    rule: z.string().regex(/^[a-z0-9-]+(\.[a-z0-9-]+)*$/, "must be a domain name in lower case").optional(),
    example: "example.com",
    unset: "host of `BASE_URL`",
    says:
      "the domain of passkeys: the host of `BASE_URL` or a parent domain. Passkeys of another domain stop working, so never change it. There are none at an IP address, except on your own machine",
  },
  SUDO_SECONDS: {
    rule: seconds(DAY_SECONDS).default(15 * MINUTE_SECONDS),
    says: "how long a proof of identity allows dangerous actions",
  },
  RESET_TOKEN_TTL_SECONDS: { rule: seconds(30 * DAY_SECONDS).default(HOUR_SECONDS), says: "lifetime of a reset link" },
  VERIFY_TOKEN_TTL_SECONDS: {
    rule: seconds(30 * DAY_SECONDS).default(DAY_SECONDS),
    says: "lifetime of a confirmation link",
  },
  INVITATION_TTL_SECONDS: {
    rule: seconds(365 * DAY_SECONDS).default(7 * DAY_SECONDS),
    says: "lifetime of an invitation link",
  },
  DELETION_GRACE_DAYS: {
    rule: whole(0, 365).default(14),
    says: "how long the owner can still reopen a closed account; 0: it is deleted at once",
  },
  UNVERIFIED_KEPT_DAYS: {
    rule: whole(0, 3650).default(30),
    says: "an account whose address was never confirmed is deleted after so many days; 0: never",
  },
  FACTOR_RESET_HOURS: {
    rule: whole(0, 8_760).default(72),
    says: "how long people who have lost their second factor wait for its removal; 0: no one can remove it",
  },
  SECOND_FACTOR: {
    rule: secondFactorPolicy.default(null),
    example: "admins group:staff",
    unset: "`optional`",
    says:
      "who must have a second factor: `optional` for nobody, `admins`, `everyone` and `group:NAME`, separated by spaces; [below](#who-must-have-a-second-factor)",
  },
  SECOND_FACTOR_GRACE_DAYS: {
    rule: whole(0, 90).default(7),
    says: "how long people who must have one may put it off, counted from their first visit after that",
  },
  TRUST_DEVICE_DAYS: {
    rule: whole(0, 90).default(0),
    says:
      "for how many days people may trust a device, so that logins there skip the second step; 0 asks at every login; [below](#trusted-devices)",
  },
  EVENTS_KEPT_DAYS: { rule: whole(1, 36_500).default(400), says: "how long the activity of accounts is kept" },
  ADDRESSES_KEPT_DAYS: {
    rule: whole(0, 36_500).default(90),
    says: "client addresses in it are erased after this many days; 0: they stay",
  },
  PBKDF2_ITERATIONS: {
    rule: whole(100_000, 10_000_000).default(100_000),
    says: "for new password hashes. Older hashes are replaced at the next login",
  },
  BREACHED_PASSWORDS_URL: {
    rule: baseAddress.optional(),
    example: "https://api.pwnedpasswords.com/range/",
    says:
      "refuses new passwords that this service knows, for example `https://api.pwnedpasswords.com/range/`; https in production. Only the first five hexadecimal digits of the SHA-1 are sent. Without an answer within two seconds, the password is accepted and the log says so",
  },
  PASSWORDS: {
    rule: oneOf(...PASSWORDS_CHOICES).default("on"),
    says:
      "what passwords are for: `on`, `existing` (people who have one keep it, and no one gets a new one), or `off` (no password opens anything; needs a provider or `SIGN_IN_CODES=true`); [below](#passwords)",
  },
  SIGN_IN_DOMAINS: {
    rule: signInDomains.optional(),
    example: "example.com:contoso",
    says:
      "domains whose people log in through one provider only: pairs of a domain and the key of a provider (`default` for the one without a key), separated by spaces; [below](#one-provider-for-a-domain)",
  },
  SIGN_IN_CODES: { rule: flag.default(false), says: "`true` lets people log in with a code that is emailed to them" },
  PEOPLE: {
    rule: oneOf("all", "verified", "members", "off").default("all"),
    says:
      "who is seen in lists and profiles of users: `all` accounts, those with a confirmed address (`verified`), the same only by people who are logged in (`members`), or no one (`off`); [below](#who-sees-whom)",
  },
  PUBLIC_USER_EMAILS: {
    rule: flag.default(true),
    says: "`false` hides addresses from other users and guests. `true` shows them, except of people who hide theirs",
  },
} satisfies Settings;

const APPS = {
  CLIENTS_FILE: {
    rule: z.string().regex(/^[^,]+$/, "must be a path without commas").optional(),
    example: "/etc/foyer/clients.json",
    says:
      "a JSON file with the apps that sign people in with Foyer, and the APIs that they may call. Foyer reads it at each start. Admins can also make apps in the browser",
  },
  CLIENT_METADATA_DOCUMENTS: {
    rule: someHosts.default(null),
    example: "claude.ai vscode.dev",
    unset: "off",
    says:
      "`on`, or the hosts, separated by spaces, whose apps people may log in to without a registration, as [agents](mcp.md) do: the `client_id` of such an app is the address of its metadata document, which Foyer reads",
  },
  CLIENT_METADATA_ALLOW_PRIVATE: {
    rule: flag.default(false),
    says:
      "`true` also reads these documents from addresses that are not public, from any port, and by http from this machine, for development. Production refuses it",
  },
  ACCESS_TTL_SECONDS: {
    rule: whole(MINUTE_SECONDS, HOUR_SECONDS).default(5 * MINUTE_SECONDS),
    says: "lifetime of an access token of these apps, from 60 to 3600",
  },
  ID_TOKEN_TTL_SECONDS: {
    rule: whole(MINUTE_SECONDS, DAY_SECONDS).default(HOUR_SECONDS),
    says: "lifetime of an ID token, from 60 to 86400",
  },
  GRANT_TTL_SECONDS: {
    rule: seconds(3650 * DAY_SECONDS).default(30 * DAY_SECONDS),
    says: "how long an app may stay offline, counted from its last refresh",
  },
  GRANT_MAX_SECONDS: {
    rule: seconds(3650 * DAY_SECONDS).default(365 * DAY_SECONDS),
    says: "the same, counted from the sign-in, however often it refreshes",
  },
  REFRESH_GRACE_SECONDS: {
    rule: whole(0, 5 * MINUTE_SECONDS).default(MINUTE_SECONDS),
    says: "how long an app may repeat a refresh whose response it has lost, up to 300",
  },
} satisfies Settings;

const LIMIT_OPTIONS = {
  LOGIN_MAX_ATTEMPTS: {
    rule: whole(0, 1_000_000).default(5),
    says: "with `LOGIN_WINDOW_SECONDS`, the limit of logins in two variables; 0 disables it. `LIMIT_LOGIN` wins",
  },
  LOGIN_WINDOW_SECONDS: {
    rule: seconds(DAY_SECONDS).default(15 * MINUTE_SECONDS),
    says: "the window of `LOGIN_MAX_ATTEMPTS`",
  },
  LOGIN_COUNTS: {
    rule: oneOf("attempts", "failures").default("attempts"),
    says: "what counts under `LIMIT_LOGIN`: `attempts`, or only `failures`. Production without it logs a warning",
  },
} satisfies Settings;

const EMAIL = {
  EMAIL_API_URL: {
    rule: baseAddress.default("https://api.resend.com"),
    says: "the delivery service, called with `POST .../emails`; https in production",
  },
  EMAIL_API_TOKEN: {
    rule: z.string().regex(/^[!-~]+$/, "must be visible ASCII, without spaces").optional(),
    example: "re_123456789",
    says:
      "the token of the delivery service. Without one and without `EMAIL_URL`, emails become files in `DATA_DIR/outbox`",
  },
  EMAIL_URL: {
    rule: mailServer.optional(),
    example: "smtp://foyer:secret@mail.example.com:587",
    says:
      "instead of the delivery service, a mail server: `smtp://user:password@host:587`, or `smtps://` for TLS from the start. One on this machine needs no TLS (`smtp://127.0.0.1:25`). Production needs one of the two",
  },
  EMAIL_FROM: {
    rule: z.string().regex(/^[^\r\n]+@[^\r\n]+$/, "must be an email address").default("Foyer <no-reply@localhost>"),
    example: "Foyer <no-reply@example.com>",
    isRequired: true,
    says: "the sender",
  },
} satisfies Settings;

const WEBHOOKS = {
  WEBHOOK_ALLOW_PRIVATE: {
    rule: flag.default(false),
    says:
      "`true` lets [webhooks](webhooks.md) lead to http and to addresses that are not public, for development. Production refuses it",
  },
  WEBHOOK_PRIVATE_HOSTS: {
    rule: hosts.default([]),
    example: "backend.internal",
    says:
      "hosts, separated by spaces, that [webhooks](webhooks.md) may lead to although they are not public, also by http: names or IP addresses as in the URL, without a port. Admins can then send events there, so name only hosts that expect them",
  },
} satisfies Settings;

const UPLOADS = {
  UPLOADS: {
    rule: oneOf(...UPLOADS_CHOICES).default("on"),
    example: "off",
    says:
      "what people may store: files and photos (`on`), only `photos` of themselves, or nothing (`off`). What is off is 404, and no page and no API document mentions it; [below](#without-files)",
  },
  UPLOAD_MAX_BYTES: {
    rule: whole(1, 5 * 1024 * MEBIBYTE).default(25 * MEBIBYTE),
    says: "largest presigned upload, not above the quota",
  },
  UPLOAD_QUOTA_BYTES: {
    rule: whole(0, Number.MAX_SAFE_INTEGER).default(1024 * MEBIBYTE),
    says: "space for all uploads of a user; 0 for no limit",
  },
  UNVERIFIED_QUOTA_BYTES: {
    rule: whole(0, Number.MAX_SAFE_INTEGER).default(25 * MEBIBYTE),
    says: "the same for a user whose email address is not confirmed; 0 for nothing",
  },
  UPLOAD_UNCONFIRMED: {
    rule: oneOf("keep", "delete").default("keep"),
    says: "`delete` deletes uploads that are not confirmed within a day; `keep` keeps them if they match their type",
  },
  CONVERTER_FOLDER: {
    rule: z.string().optional(),
    example: "/tmp/foyer-converters-1",
    says: "where the service meets its image converters; the launcher sets it",
  },
  IMAGE_MAX_PIXELS: {
    rule: whole(1, 268_402_689).default(40_000_000),
    says: "larger images are refused before they are decoded",
  },
  AVATAR_MAX_DIMENSION: {
    rule: whole(1, 16_383).default(1024),
    says: "longest side of a stored profile photo; images are never enlarged",
  },
  POST_IMAGE_MAX_DIMENSION: { rule: whole(1, 16_383).default(2560), says: "longest side of any other stored image" },
  S3_ENDPOINT: {
    rule: baseAddress.optional(),
    example: "https://s3.eu-central-1.amazonaws.com",
    says:
      "a bucket (path-style) instead of `DATA_DIR/objects`: all of `S3_ENDPOINT`, `S3_REGION`, `S3_BUCKET`, `S3_ACCESS_KEY_ID`, `S3_SECRET_ACCESS_KEY` and `S3_PUBLIC_URL`. https in production, unless it is in a private network",
  },
  S3_REGION: { rule: z.string().optional(), example: "eu-central-1", says: "region of the bucket" },
  S3_BUCKET: { rule: z.string().optional(), example: "foyer-files", says: "name of the bucket" },
  S3_ACCESS_KEY_ID: { rule: z.string().optional(), example: "AKIAIOSFODNN7EXAMPLE", says: "id of the access key" },
  S3_SECRET_ACCESS_KEY: {
    rule: z.string().optional(),
    example: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    says: "the secret of this key",
  },
  S3_PUBLIC_URL: {
    rule: baseAddress.optional(),
    example: "https://files.example.com",
    says: "where everyone reads the files of the bucket; https in production",
  },
  S3_PRIVATE_BUCKET: {
    rule: z.string().optional(),
    example: "foyer-private-files",
    says:
      "another bucket, for private files, which no one can read without a signature. Without it, they are in `S3_BUCKET`, below `private/`",
  },
} satisfies Settings;

const PROVIDERS = {
  IDP_PROVIDERS: {
    rule: z.string().optional(),
    example: "google github",
    unset: "none",
    says: "keys of providers, separated by spaces, such as `google github contoso`: lower-case letters, digits and `_`",
  },
} satisfies Settings;

/** The sections of the documentation of settings. `deno task settings` writes a table of each. */
export const SECTIONS: Record<string, Settings> = {
  "Service": SERVICE,
  "Brand": BRAND,
  "Accounts": ACCOUNTS,
  "Apps that sign people in": APPS,
  "Limits": { ...LIMIT_SETTINGS, ...LIMIT_OPTIONS },
  "Email": EMAIL,
  "Webhooks": WEBHOOKS,
  "Identity providers": {
    ...PROVIDERS,
    ...Object.fromEntries(Object.entries(PROVIDER_SETTINGS).map(([name, setting]) => [`IDP_<KEY>_${name}`, setting])),
  },
  "Uploads": UPLOADS,
};

/** All settings by name. */
export const SETTINGS = {
  ...SERVICE,
  ...BRAND,
  ...ACCOUNTS,
  ...APPS,
  ...LIMIT_OPTIONS,
  ...LIMIT_SETTINGS,
  ...EMAIL,
  ...WEBHOOKS,
  ...PROVIDERS,
  ...UPLOADS,
};

/** The environment variables, each checked on its own. */
export const Environment = z.object(rulesOf(SETTINGS));

/** Only presets have them, and these have keys. */
const OF_PRESETS = ["TENANT", "TEAM_ID", "KEY_ID", "PRIVATE_KEY"];

/** The names of all variables. */
export const VARIABLES: string[] = [
  ...Object.keys(SETTINGS),
  // provider_variables.ts checks these, and the same variables of the providers in IDP_PROVIDERS.
  ...PROVIDER_VARIABLES.filter((name) => !OF_PRESETS.includes(name)).map((name) => prefixOf(DEFAULT_PROVIDER) + name),
];

/** The values of the variables. */
export type Variables = z.infer<typeof Environment>;
