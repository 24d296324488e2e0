import { z } from "zod";
import { DAY_SECONDS, HOUR_SECONDS, MINUTE_SECONDS } from "../duration.ts";
import { isConfidential } from "../loopback.ts";
import { transportProblems } from "./transport.ts";
import { domainName, flag, originOf, webUrl } from "./variable_types.ts";

const MEBIBYTE = 1024 * 1024;
const SECRET_MIN_BYTES = 32;
/** The origin in development if BASE_URL is not set, without the port. */
export const DEVELOPMENT_ORIGIN = "http://localhost";
/** The variables that production requires. */
const REQUIRED_IN_PRODUCTION = ["BASE_URL", "APP_SECRET", "EMAIL_FROM"] as const;

const S3 = [
  "S3_ENDPOINT",
  "S3_REGION",
  "S3_BUCKET",
  "S3_ACCESS_KEY_ID",
  "S3_SECRET_ACCESS_KEY",
  "S3_PUBLIC_URL",
] as const;

const whole = (min: number, max: number) => {
  const rule = `must be a whole number from ${min} to ${max}`;
  return z.string().regex(/^[0-9]+$/, rule).transform(Number).pipe(z.number().min(min, rule).max(max, rule));
};
const oneOf = <const Values extends string[]>(...values: Values) => z.enum(values, `must be ${values.join(" or ")}`);
const seconds = (max: number) => whole(1, max);
/** How many requests a policy allows in a window; null for no limit. */
const limit = z.string().regex(
  /^([1-9][0-9]{0,6}\/[1-9][0-9]{0,6}|off)$/,
  "must be count/seconds or off",
)
  .transform((value) => {
    if (value === "off") return null;
    const [quota, windowSeconds] = value.split("/").map(Number);
    return { quota, windowSeconds };
  });
/** A URL to which Foyer appends a path. */
const baseAddress = webUrl.refine(
  (value) => !/[?#]/.test(value) && !URL.parse(value)?.username,
  "must have no query and no credentials",
);
const origin = z.string().transform((value, context) => {
  const origin = originOf(value);
  if (origin !== null) return origin;
  context.addIssue({ code: "custom", message: "must be an origin: scheme and host, without a path" });
  return z.NEVER;
});
const mailServer = z.string().refine((value) => {
  const url = URL.parse(value);
  const isComplete = url !== null && /^smtps?:$/.test(url.protocol) && url.hostname !== "";
  return isComplete && /^\/?$/.test(url.pathname + url.search + url.hash) &&
    (url.username !== "") === (url.password !== "");
}, "must be an smtp or smtps URL with a host, and with a user and a password or neither");
const words = z.string().transform((value) => value.split(/\s+/).filter(Boolean));
const origins = words.pipe(z.array(origin));
/** The `aud` of a token: the URL or the name of a product. */
const audiences = words.pipe(
  z.array(z.string().regex(/^[!-~]{1,255}$/, "must be visible ASCII, at most 255 characters each")),
);

function isLongSecret(value: string): boolean {
  return new TextEncoder().encode(value).length >= SECRET_MIN_BYTES;
}

/** The environment variables, each checked on its own. */
export const Environment = z.object({
  APP_ENV: oneOf("development", "production").default("development"),
  AUDIT_LOG: z.string().optional(),
  LOG_FORMAT: oneOf("json", "text").optional(),
  LOG_LEVEL: oneOf("info", "warn", "error").default("info"),
  PORT: whole(1, 65_535).default(8000),
  HOST: z.string().regex(/^[a-z0-9.:_-]+$/i, "must be a host name or an IP address of this machine").optional(),
  BASE_URL: origin.optional(),
  DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/, error: "must be a postgres:// URL" })
    .optional(),
  DATA_DIR: z.string().default(".data"),
  APP_SECRET: z.string().refine(isLongSecret, "must be at least 32 bytes").optional(),
  APP_SECRET_PREVIOUS: words.refine((list) => list.every(isLongSecret), "must be at least 32 bytes each").default([]),
  COOKIE_DOMAIN: z.string().regex(/^\.?[a-z0-9-]+(\.[a-z0-9-]+)*$/i, "must be a domain name").optional(),
  API_ORIGIN: origins.default([]),
  CORS_ORIGINS: origins.default([]),
  RETURN_ORIGINS: origins.refine((list) => !list.join().includes("*"), "must name each origin, without wildcards")
    .default([]),
  TOKEN_AUDIENCES: audiences.default([]),
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
  LIMIT_IMAGE: limit.default({ quota: 60, windowSeconds: HOUR_SECONDS }),
  LIMIT_PROFILE: limit.default({ quota: 60, windowSeconds: HOUR_SECONDS }),
  LIMIT_SECURITY: limit.default({ quota: 20, windowSeconds: HOUR_SECONDS }),
  LIMIT_WRITE: limit.default({ quota: 600, windowSeconds: HOUR_SECONDS }),
  LIMIT_GUESS: limit.default({ quota: 20, windowSeconds: 15 * MINUTE_SECONDS }),
  LIMIT_PROOF: limit.default({ quota: 5, windowSeconds: 15 * MINUTE_SECONDS }),
  LIMIT_EXPORT: limit.default({ quota: 3, windowSeconds: HOUR_SECONDS }),
  LIMIT_TOKEN: limit.default({ quota: 600, windowSeconds: MINUTE_SECONDS }),
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
  S3_ACCESS_KEY_ID: z.string().optional(),
  S3_SECRET_ACCESS_KEY: z.string().optional(),
  S3_PUBLIC_URL: baseAddress.optional(),
  UPLOAD_MAX_BYTES: whole(1, 5 * 1024 * MEBIBYTE).default(25 * MEBIBYTE),
  UPLOAD_QUOTA_BYTES: whole(0, Number.MAX_SAFE_INTEGER).default(1024 * MEBIBYTE),
  UNVERIFIED_QUOTA_BYTES: whole(0, Number.MAX_SAFE_INTEGER).default(25 * MEBIBYTE),
  UPLOAD_UNCONFIRMED: oneOf("keep", "delete").default("keep"),
  CONVERTER_FOLDER: z.string().optional(),
  VARIABLE_NAMES: z.string().optional(),
  IMAGE_MAX_PIXELS: whole(1, 268_402_689).default(40_000_000),
  AVATAR_MAX_DIMENSION: whole(1, 16_383).default(1024),
  POST_IMAGE_MAX_DIMENSION: whole(1, 16_383).default(2560),
  PUBLIC_USER_EMAILS: flag.default(true),
  // Only Linux distributes the connections of a port among several listeners.
  DENO_JOBS: whole(1, 1024).default(Deno.build.os === "linux" ? navigator.hardwareConcurrency : 1),
});

/** The names of all variables. */
export const VARIABLES: string[] = Object.keys(Environment.shape);

/** The values of the variables. */
export type Variables = z.infer<typeof Environment>;

/** Checks variables that depend on each other. Returns one line for each problem. */
export function combinationProblems(env: Record<string, string | undefined>, variables: Variables): string[] {
  return [
    ...missing(env),
    ...mailProblems(variables),
    ...originProblems(variables),
    ...returnProblems(variables),
    ...cookieProblems(variables),
    ...passkeyProblems(variables),
    ...transportProblems(variables),
  ];
}

/** Reports missing variables that production or another variable requires. */
function missing(env: Record<string, string | undefined>): string[] {
  const lines: string[] = [];
  const need = (names: readonly string[], why: string) =>
    lines.push(...names.filter((name) => !env[name]).map((name) => `${name}: required ${why}`));
  if (env.APP_ENV === "production") need(REQUIRED_IN_PRODUCTION, "in production");
  if (S3.some((name) => env[name])) need(S3, "with any other S3_ variable");
  return lines;
}

/** Emails go one way. In development, they may also become files. */
function mailProblems({ APP_ENV, EMAIL_URL, EMAIL_API_TOKEN }: Variables): string[] {
  if (EMAIL_URL !== undefined && EMAIL_API_TOKEN !== undefined) return ["EMAIL_URL: excludes EMAIL_API_TOKEN"];
  if (APP_ENV !== "production" || EMAIL_URL !== undefined || EMAIL_API_TOKEN !== undefined) return [];
  return ["EMAIL_API_TOKEN: required in production, unless EMAIL_URL names a mail server"];
}

/** Cookies are Secure in production, and browsers send these over http only to loopback. */
function originProblems({ APP_ENV, BASE_URL = DEVELOPMENT_ORIGIN, RETURN_ORIGINS }: Variables): string[] {
  if (APP_ENV !== "production") return [];
  const needsTls = (origin: string) => !isConfidential(origin, { isProduction: false });
  const rule = "must be https in production, except for a loopback name such as localhost";
  return [
    ...needsTls(BASE_URL) ? [`BASE_URL: ${rule}`] : [],
    ...RETURN_ORIGINS.some(needsTls) ? [`RETURN_ORIGINS: ${rule}`] : [],
  ];
}

/**
 * People come from a product without a session, log in and go back there. A product that gets no session either would
 * send them to the login again, which sends them back at once.
 */
function returnProblems({ RETURN_ORIGINS, COOKIE_DOMAIN, BASE_URL = DEVELOPMENT_ORIGIN }: Variables): string[] {
  const { hostname } = new URL(BASE_URL);
  const hasSession = (origin: string) =>
    new URL(origin).hostname === hostname || COOKIE_DOMAIN !== undefined && isWithin(origin, domainOf(COOKIE_DOMAIN));
  const rule = "gets no session: it must have the host of BASE_URL or be inside COOKIE_DOMAIN";
  return RETURN_ORIGINS.filter((origin) => !hasSession(origin)).map((origin) => `RETURN_ORIGINS: ${origin} ${rule}`);
}

/** Browsers ignore a cookie for a domain that does not contain the page, so no one could log in. */
function cookieProblems({ COOKIE_DOMAIN, BASE_URL }: Variables): string[] {
  if (COOKIE_DOMAIN === undefined || isWithin(BASE_URL, domainOf(COOKIE_DOMAIN))) return [];
  return ["COOKIE_DOMAIN: must be the host of BASE_URL or a parent domain of it"];
}

/** Browsers refuse to use a passkey outside its domain. */
function passkeyProblems({ PASSKEY_RP_ID, BASE_URL }: Variables): string[] {
  if (PASSKEY_RP_ID === undefined || isWithin(BASE_URL, PASSKEY_RP_ID)) return [];
  return ["PASSKEY_RP_ID: must be the host of BASE_URL or a parent domain of it"];
}

/** COOKIE_DOMAIN as it is compared. */
function domainOf(cookieDomain: string): string {
  return cookieDomain.replace(/^\./, "").toLowerCase();
}

/** Whether the host of an address is this domain or one below it. */
function isWithin(address: string = DEVELOPMENT_ORIGIN, domain: string): boolean {
  const host = new URL(address).hostname;
  return host === domain || host.endsWith(`.${domain}`);
}
