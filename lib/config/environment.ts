import { isAbsolute } from "node:path";
import { z } from "zod";
import { BRAND_VARIABLES } from "./brand_variables.ts";
import { DAY_SECONDS, HOUR_SECONDS, MINUTE_SECONDS } from "../duration.ts";
import { domainName, flag, limit, origin, origins, webUrl, words } from "./variable_types.ts";

const MEBIBYTE = 1024 * 1024;
const SECRET_MIN_BYTES = 32;
/** The origin in development if BASE_URL is not set, without the port. */
export const DEVELOPMENT_ORIGIN = "http://localhost";
const whole = (min: number, max: number) => {
  const rule = `must be a whole number from ${min} to ${max}`;
  return z.string().regex(/^[0-9]+$/, rule).transform(Number).pipe(z.number().min(min, rule).max(max, rule));
};
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

/** The environment variables, each checked on its own. */
export const Environment = z.object({
  APP_ENV: oneOf("development", "production").default("development"),
  AUDIT_LOG: auditLog.optional(),
  LOG_FORMAT: oneOf("json", "text").optional(),
  LOG_LEVEL: oneOf("info", "warn", "error").default("info"),
  PORT: whole(1, 65_535).default(8000),
  HOST: host.optional(),
  METRICS_PORT: whole(1, 65_535).optional(),
  METRICS_HOST: host.default("127.0.0.1"),
  BASE_URL: origin.optional(),
  DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/, error: "must be a postgres:// URL" })
    .optional(),
  DATA_DIR: z.string().default(".data"),
  TEXTS_DIR: z.string().refine(isAbsolute, "must be an absolute path").optional(),
  DEFAULT_LANGUAGE: z.string().regex(/^[a-zA-Z]{2,8}(-[a-zA-Z0-9]{1,8})*$/, "must be the tag of a language").default(
    "en",
  ),
  APP_SECRET: z.string().refine(isLongSecret, "must be at least 32 bytes").optional(),
  APP_SECRET_PREVIOUS: words.refine((list) => list.every(isLongSecret), "must be at least 32 bytes each").default([]),
  COOKIE_DOMAIN: cookieDomain.optional(),
  API_ORIGIN: origins({ allowsWildcards: true }).default([]),
  CORS_ORIGINS: origins().default([]),
  RETURN_ORIGINS: origins().default([]),
  TOKEN_AUDIENCES: audiences.default([]),
  CLIENTS_FILE: z.string().regex(/^[^,]+$/, "must be a path without commas").optional(),
  ACCESS_TTL_SECONDS: whole(MINUTE_SECONDS, HOUR_SECONDS).default(5 * MINUTE_SECONDS),
  ID_TOKEN_TTL_SECONDS: whole(MINUTE_SECONDS, DAY_SECONDS).default(HOUR_SECONDS),
  GRANT_TTL_SECONDS: seconds(3650 * DAY_SECONDS).default(30 * DAY_SECONDS),
  GRANT_MAX_SECONDS: seconds(3650 * DAY_SECONDS).default(365 * DAY_SECONDS),
  REFRESH_GRACE_SECONDS: whole(0, 5 * MINUTE_SECONDS).default(MINUTE_SECONDS),
  PASSKEY_RP_ID: z.string().regex(/^[a-z0-9-]+(\.[a-z0-9-]+)*$/, "must be a domain name in lower case").optional(),
  TRUSTED_PROXIES: whole(0, 10).default(0),
  REGISTRATION: oneOf("open", "invited", "closed").default("open"),
  ALLOWED_EMAIL_DOMAINS: words.pipe(z.array(domainName).min(1, "must name a domain")).optional(),
  SESSION_TTL_SECONDS: seconds(365 * DAY_SECONDS).default(7 * DAY_SECONDS),
  SESSION_MAX_SECONDS: seconds(3650 * DAY_SECONDS).default(90 * DAY_SECONDS),
  SUDO_SECONDS: seconds(DAY_SECONDS).default(15 * MINUTE_SECONDS),
  RESET_TOKEN_TTL_SECONDS: seconds(30 * DAY_SECONDS).default(HOUR_SECONDS),
  INVITATION_TTL_SECONDS: seconds(365 * DAY_SECONDS).default(7 * DAY_SECONDS),
  VERIFY_TOKEN_TTL_SECONDS: seconds(30 * DAY_SECONDS).default(DAY_SECONDS),
  EVENTS_KEPT_DAYS: whole(1, 36_500).default(400),
  ADDRESSES_KEPT_DAYS: whole(0, 36_500).default(90),
  DELETION_GRACE_DAYS: whole(0, 365).default(14),
  UNVERIFIED_KEPT_DAYS: whole(0, 3650).default(30),
  FACTOR_RESET_HOURS: whole(0, 8_760).default(72),
  BREACHED_PASSWORDS_URL: baseAddress.optional(),
  SIGN_IN_CODES: flag.default(false),
  PBKDF2_ITERATIONS: whole(100_000, 10_000_000).default(100_000),
  LOGIN_MAX_ATTEMPTS: whole(0, 1_000_000).default(5),
  LOGIN_WINDOW_SECONDS: seconds(DAY_SECONDS).default(15 * MINUTE_SECONDS),
  LIMIT_LOGIN: limit.optional(),
  LOGIN_COUNTS: oneOf("attempts", "failures").default("attempts"),
  LIMIT_ACCOUNT: limit.default({ quota: 20, windowSeconds: HOUR_SECONDS }),
  LIMIT_REGISTER: limit.default({ quota: 20, windowSeconds: HOUR_SECONDS }),
  LIMIT_ATTEMPT: limit.default({ quota: 60, windowSeconds: 15 * MINUTE_SECONDS }),
  LIMIT_MAIL: limit.default({ quota: 20, windowSeconds: HOUR_SECONDS }),
  LIMIT_PRESIGN: limit.default({ quota: 120, windowSeconds: HOUR_SECONDS }),
  LIMIT_LINK: limit.default({ quota: 120, windowSeconds: HOUR_SECONDS }),
  LIMIT_IMAGE: limit.default({ quota: 60, windowSeconds: HOUR_SECONDS }),
  LIMIT_PROFILE: limit.default({ quota: 60, windowSeconds: HOUR_SECONDS }),
  LIMIT_SECURITY: limit.default({ quota: 20, windowSeconds: HOUR_SECONDS }),
  LIMIT_WRITE: limit.default({ quota: 600, windowSeconds: HOUR_SECONDS }),
  LIMIT_GUESS: limit.default({ quota: 20, windowSeconds: 15 * MINUTE_SECONDS }),
  LIMIT_PROOF: limit.default({ quota: 5, windowSeconds: 15 * MINUTE_SECONDS }),
  LIMIT_EXPORT: limit.default({ quota: 3, windowSeconds: HOUR_SECONDS }),
  LIMIT_TOKEN: limit.default({ quota: 600, windowSeconds: MINUTE_SECONDS }),
  LIMIT_AUTHORIZE: limit.default({ quota: 30, windowSeconds: MINUTE_SECONDS }),
  LIMIT_CLIENT: limit.default({ quota: 30, windowSeconds: 15 * MINUTE_SECONDS }),
  EMAIL_API_URL: baseAddress.default("https://api.resend.com"),
  EMAIL_API_TOKEN: z.string().regex(/^[!-~]+$/, "must be visible ASCII, without spaces").optional(),
  EMAIL_URL: mailServer.optional(),
  EMAIL_FROM: z.string().regex(/^[^\r\n]+@[^\r\n]+$/, "must be an email address").default("Foyer <no-reply@localhost>"),
  // provider_variables.ts checks these, and the same variables of the providers in IDP_PROVIDERS.
  IDP_PROVIDERS: z.string().optional(),
  IDP_ISSUER: z.string().optional(),
  IDP_AUTH_URL: z.string().optional(),
  IDP_TOKEN_URL: z.string().optional(),
  IDP_USERINFO_URL: z.string().optional(),
  IDP_CLIENT_ID: z.string().optional(),
  IDP_CLIENT_SECRET: z.string().optional(),
  IDP_SCOPES: z.string().optional(),
  IDP_NAME: z.string().optional(),
  IDP_TRUST_EMAIL: z.string().optional(),
  S3_ENDPOINT: baseAddress.optional(),
  S3_REGION: z.string().optional(),
  S3_BUCKET: z.string().optional(),
  S3_PRIVATE_BUCKET: z.string().optional(),
  S3_ACCESS_KEY_ID: z.string().optional(),
  S3_SECRET_ACCESS_KEY: z.string().optional(),
  S3_PUBLIC_URL: baseAddress.optional(),
  UPLOAD_MAX_BYTES: whole(1, 5 * 1024 * MEBIBYTE).default(25 * MEBIBYTE),
  UPLOAD_QUOTA_BYTES: whole(0, Number.MAX_SAFE_INTEGER).default(1024 * MEBIBYTE),
  UNVERIFIED_QUOTA_BYTES: whole(0, Number.MAX_SAFE_INTEGER).default(25 * MEBIBYTE),
  UPLOAD_UNCONFIRMED: oneOf("keep", "delete").default("keep"),
  CONVERTER_FOLDER: z.string().optional(),
  VARIABLE_NAMES: z.string().optional(),
  WEBHOOK_ALLOW_PRIVATE: flag.default(false),
  IMAGE_MAX_PIXELS: whole(1, 268_402_689).default(40_000_000),
  AVATAR_MAX_DIMENSION: whole(1, 16_383).default(1024),
  POST_IMAGE_MAX_DIMENSION: whole(1, 16_383).default(2560),
  PUBLIC_USER_EMAILS: flag.default(true),
  PEOPLE: oneOf("all", "verified", "members", "off").default("all"),
  ...BRAND_VARIABLES,
  // Only Linux distributes the connections of a port among several listeners.
  DENO_JOBS: whole(1, 1024).default(Deno.build.os === "linux" ? navigator.hardwareConcurrency : 1),
});

/** The names of all variables. */
export const VARIABLES: string[] = Object.keys(Environment.shape);

/** The values of the variables. */
export type Variables = z.infer<typeof Environment>;
