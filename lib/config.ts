import { z } from "zod";
import { DAY_SECONDS, HOUR_SECONDS, MINUTE_SECONDS } from "./duration.ts";
import { isConfidential } from "./loopback.ts";

/** The environment held bad or missing values; the message lists every one of them. */
export class ConfigError extends Error {
  override name = "ConfigError";
}

const MEBIBYTE = 1024 * 1024;
/** Without BASE_URL, and without its port. */
const DEVELOPMENT_ORIGIN = "http://localhost";
/** What production may not do without. */
const REQUIRED_IN_PRODUCTION = ["BASE_URL", "APP_SECRET", "EMAIL_API_TOKEN", "EMAIL_FROM"] as const;

const S3 = [
  "S3_ENDPOINT",
  "S3_REGION",
  "S3_BUCKET",
  "S3_ACCESS_KEY_ID",
  "S3_SECRET_ACCESS_KEY",
  "S3_PUBLIC_URL",
] as const;
/** Where a provider without discovery is asked. */
const PLAIN_PROVIDER = ["IDP_AUTH_URL", "IDP_TOKEN_URL", "IDP_USERINFO_URL"] as const;

const whole = (min: number, max: number) =>
  z.string().regex(/^[0-9]+$/, "must be a whole number").transform(Number).pipe(z.number().min(min).max(max));
const seconds = (max: number) => whole(1, max);
const flag = z.enum(["true", "false"]).transform((value) => value === "true");
/** How many requests a policy allows in a window; null where there is no limit. */
const limit = z.string().regex(
  /^([1-9][0-9]{0,6}\/[1-9][0-9]{0,6}|off)$/,
  "must be count/seconds, such as 20/3600, or off",
)
  .transform((value) => {
    if (value === "off") return null;
    const [quota, windowSeconds] = value.split("/").map(Number);
    return { quota, windowSeconds };
  });
const webUrl = z.url({ protocol: /^https?$/ });
/** An address to which a path is added. */
const baseAddress = webUrl.refine(
  (value) => !/[?#]/.test(value) && !URL.parse(value)?.username,
  "must have no query and no credentials",
);
const origin = z.string().transform((value, context) => {
  const url = URL.parse(value);
  if (url !== null && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`) return url.origin;
  context.addIssue({ code: "custom", message: "must be an origin such as https://example.com" });
  return z.NEVER;
});
const origins = z.string().transform((value) => value.split(/\s+/).filter(Boolean)).pipe(z.array(origin));

const Environment = z.object({
  APP_ENV: z.enum(["development", "production"]).default("development"),
  PORT: whole(1, 65_535).default(8000),
  HOST: z.string().regex(/^[a-z0-9.:_-]+$/i, "must be a name or an address of this machine").optional(),
  BASE_URL: origin.optional(),
  DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/, error: "must be an address such as postgres://user@host/name" })
    .optional(),
  DATA_DIR: z.string().default(".data"),
  APP_SECRET: z.string().refine((value) => new TextEncoder().encode(value).length >= 32, "must be at least 32 bytes")
    .optional(),
  COOKIE_DOMAIN: z.string().regex(/^\.?[a-z0-9-]+(\.[a-z0-9-]+)*$/i, "must be a domain name").optional(),
  API_ORIGIN: origins.default([]),
  CORS_ORIGINS: origins.default([]),
  TRUSTED_PROXIES: whole(0, 10).default(0),
  SESSION_TTL_SECONDS: seconds(365 * DAY_SECONDS).default(7 * DAY_SECONDS),
  SESSION_MAX_SECONDS: seconds(3650 * DAY_SECONDS).default(90 * DAY_SECONDS),
  RESET_TOKEN_TTL_SECONDS: seconds(30 * DAY_SECONDS).default(HOUR_SECONDS),
  INVITATION_TTL_SECONDS: seconds(365 * DAY_SECONDS).default(7 * DAY_SECONDS),
  VERIFY_TOKEN_TTL_SECONDS: seconds(30 * DAY_SECONDS).default(DAY_SECONDS),
  PBKDF2_ITERATIONS: whole(100_000, 10_000_000).default(100_000),
  LOGIN_MAX_ATTEMPTS: whole(0, 1_000_000).default(5),
  LOGIN_WINDOW_SECONDS: seconds(DAY_SECONDS).default(15 * MINUTE_SECONDS),
  LIMIT_LOGIN: limit.optional(),
  LIMIT_REGISTER: limit.default({ quota: 20, windowSeconds: HOUR_SECONDS }),
  LIMIT_MAIL: limit.default({ quota: 20, windowSeconds: HOUR_SECONDS }),
  LIMIT_PRESIGN: limit.default({ quota: 120, windowSeconds: HOUR_SECONDS }),
  LIMIT_IMAGE: limit.default({ quota: 60, windowSeconds: HOUR_SECONDS }),
  EMAIL_API_URL: baseAddress.default("https://api.resend.com"),
  EMAIL_API_TOKEN: z.string().regex(/^[!-~]+$/, "must be visible ASCII, without spaces").optional(),
  EMAIL_FROM: z.string().regex(/^[^\r\n]+@[^\r\n]+$/, "must be an address").default("Foyer <no-reply@localhost>"),
  IDP_ISSUER: webUrl.optional(),
  IDP_AUTH_URL: webUrl.optional(),
  IDP_TOKEN_URL: webUrl.optional(),
  IDP_USERINFO_URL: webUrl.optional(),
  IDP_CLIENT_ID: z.string().optional(),
  IDP_CLIENT_SECRET: z.string().optional(),
  IDP_SCOPES: z.string().default("openid email profile"),
  IDP_NAME: z.string().default("single sign-on"),
  IDP_TRUST_EMAIL: flag.default(false),
  S3_ENDPOINT: baseAddress.optional(),
  S3_REGION: z.string().optional(),
  S3_BUCKET: z.string().optional(),
  S3_ACCESS_KEY_ID: z.string().optional(),
  S3_SECRET_ACCESS_KEY: z.string().optional(),
  S3_PUBLIC_URL: baseAddress.optional(),
  UPLOAD_MAX_BYTES: whole(1, 5 * 1024 * MEBIBYTE).default(25 * MEBIBYTE),
  IMAGE_MAX_PIXELS: whole(1, 268_402_689).default(40_000_000),
  AVATAR_MAX_DIMENSION: whole(1, 16_383).default(1024),
  POST_IMAGE_MAX_DIMENSION: whole(1, 16_383).default(2560),
  PUBLIC_USER_EMAILS: flag.default(true),
  // Only Linux deals out the connections of a port that several listen on.
  DENO_JOBS: whole(1, 1024).default(Deno.build.os === "linux" ? navigator.hardwareConcurrency : 1),
});

/** The names of all variables. */
export const VARIABLES: string[] = Object.keys(Environment.shape);

/** Everything that can be set, read once at the start. */
export type Config = Omit<Settings, "appSecret"> & { appSecret: string };

/** An identity provider: an OpenID Connect issuer, or the addresses of one that speaks plain OAuth 2.0. */
export type IdpSettings = NonNullable<Settings["idp"]>;

/** The configuration as the environment gives it: without APP_SECRET, one has still to be generated. */
export type Settings = ReturnType<typeof toSettings>;

/**
 * Reads the settings; empty variables count as unset.
 *
 * @throws {ConfigError} with one line for every bad or missing variable.
 */
export function readSettings(env: Record<string, string | undefined>): Settings {
  const set = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ""));
  const { error, data } = Environment.safeParse(set);
  const issues = error?.issues ?? [];
  // What goes together is looked at too, as far as it can be read.
  const good = Object.entries(set).filter(([name]) => !issues.some(({ path }) => path[0] === name));
  const variables = data ?? Environment.parse(Object.fromEntries(good));
  const problems = [
    ...issues.map((issue) => `${String(issue.path[0])}: ${issue.message}`),
    ...missing(set),
    ...idpProblems(variables),
    ...originProblems(variables),
    ...cookieProblems(variables),
  ];
  if (problems.length > 0) {
    throw new ConfigError(`The configuration is not usable:\n${problems.map((line) => `- ${line}`).join("\n")}`);
  }
  return toSettings(variables);
}

/** What a usable configuration probably lacks: one line for each setting. */
export function configWarnings({ idp }: Settings): string[] {
  if (idp === undefined || idp.issuer !== undefined || idp.trustEmail) return [];
  return [
    "IDP_TRUST_EMAIL is not set: the identity provider can only sign in people whose profile says that their address " +
    "is verified (email_verified, verified_email or verified)",
  ];
}

/** Variables that others, or production, make necessary. */
function missing(env: Record<string, string | undefined>): string[] {
  const lines: string[] = [];
  const need = (names: readonly string[], why: string) =>
    lines.push(...names.filter((name) => !env[name]).map((name) => `${name}: required ${why}`));
  if (env.APP_ENV === "production") need(REQUIRED_IN_PRODUCTION, "in production");
  if (S3.some((name) => env[name])) need(S3, "with any other S3_ variable");
  if (env.IDP_ISSUER || env.IDP_AUTH_URL) need(["IDP_CLIENT_ID"], "with an identity provider");
  if (PLAIN_PROVIDER.some((name) => env[name]) && !env.IDP_ISSUER) need(PLAIN_PROVIDER, "without IDP_ISSUER");
  return lines;
}

/** What is wrong with the addresses of an identity provider: nobody else may listen in on them. */
function idpProblems(env: Variables): string[] {
  const isProduction = env.APP_ENV === "production";
  const lines = (["IDP_ISSUER", ...PLAIN_PROVIDER] as const)
    .filter((name) => env[name] !== undefined && !isConfidential(env[name], { isProduction }))
    .map((name) => `${name}: must be https, but for this same machine in development`);
  if (env.IDP_ISSUER === undefined) return lines;
  lines.push(
    ...PLAIN_PROVIDER.filter((name) => env[name]).map((name) => `${name}: not with IDP_ISSUER, which tells it`),
  );
  if (!env.IDP_SCOPES.split(" ").includes("openid")) lines.push("IDP_SCOPES: must have openid, with IDP_ISSUER");
  return lines;
}

/** Production's cookies are Secure: over http, a browser returns them to this same machine only. */
function originProblems({ APP_ENV, BASE_URL = DEVELOPMENT_ORIGIN }: Variables): string[] {
  if (APP_ENV !== "production" || isConfidential(BASE_URL, { isProduction: false })) return [];
  return ["BASE_URL: must be https in production, except for a loopback name such as localhost"];
}

/** A browser drops a cookie for a domain that the page is not in: nobody could log in. */
function cookieProblems({ COOKIE_DOMAIN, BASE_URL }: Variables): string[] {
  const domain = COOKIE_DOMAIN?.replace(/^\./, "").toLowerCase();
  const host = new URL(BASE_URL ?? DEVELOPMENT_ORIGIN).hostname;
  if (domain === undefined || host === domain || host.endsWith(`.${domain}`)) return [];
  return ["COOKIE_DOMAIN: must be the host of BASE_URL or a domain that it is in"];
}

type Variables = z.infer<typeof Environment>;

function toSettings(env: Variables) {
  const isProduction = env.APP_ENV === "production";
  return {
    isProduction,
    port: env.PORT,
    host: env.HOST ?? (isProduction ? "0.0.0.0" : "127.0.0.1"),
    /** The public origin, without a slash at its end. */
    baseUrl: env.BASE_URL ?? `${DEVELOPMENT_ORIGIN}:${env.PORT}`,
    databaseUrl: env.DATABASE_URL,
    /** How many isolates serve. The embedded database belongs to one alone. */
    isolates: env.DATABASE_URL === undefined ? 1 : env.DENO_JOBS,
    dataDir: env.DATA_DIR,
    appSecret: env.APP_SECRET,
    cookieDomain: env.COOKIE_DOMAIN,
    apiOrigins: env.API_ORIGIN,
    corsOrigins: env.CORS_ORIGINS,
    trustedProxies: env.TRUSTED_PROXIES,
    sessionTtlSeconds: env.SESSION_TTL_SECONDS,
    sessionMaxSeconds: env.SESSION_MAX_SECONDS,
    resetTokenTtlSeconds: env.RESET_TOKEN_TTL_SECONDS,
    invitationTtlSeconds: env.INVITATION_TTL_SECONDS,
    verifyTokenTtlSeconds: env.VERIFY_TOKEN_TTL_SECONDS,
    pbkdf2Iterations: env.PBKDF2_ITERATIONS,
    /** By policy; see lib/accounts/rate_limit.ts. */
    limits: {
      login: env.LIMIT_LOGIN === undefined ? loginLimit(env) : env.LIMIT_LOGIN,
      register: env.LIMIT_REGISTER,
      mail: env.LIMIT_MAIL,
      presign: env.LIMIT_PRESIGN,
      image: env.LIMIT_IMAGE,
    },
    emailApiUrl: env.EMAIL_API_URL,
    emailApiToken: env.EMAIL_API_TOKEN,
    emailFrom: env.EMAIL_FROM,
    idp: idpSettings(env),
    s3: env.S3_ENDPOINT === undefined ? undefined : {
      endpoint: env.S3_ENDPOINT,
      region: env.S3_REGION!,
      bucket: env.S3_BUCKET!,
      accessKeyId: env.S3_ACCESS_KEY_ID!,
      secretAccessKey: env.S3_SECRET_ACCESS_KEY!,
      publicUrl: env.S3_PUBLIC_URL!,
    },
    uploadMaxBytes: env.UPLOAD_MAX_BYTES,
    imageMaxPixels: env.IMAGE_MAX_PIXELS,
    avatarMaxDimension: env.AVATAR_MAX_DIMENSION,
    postImageMaxDimension: env.POST_IMAGE_MAX_DIMENSION,
    publicUserEmails: env.PUBLIC_USER_EMAILS,
  };
}

function loginLimit({ LOGIN_MAX_ATTEMPTS: quota, LOGIN_WINDOW_SECONDS: windowSeconds }: Variables) {
  return quota === 0 ? null : { quota, windowSeconds };
}

function idpSettings(env: Variables) {
  const provider = {
    clientId: env.IDP_CLIENT_ID!,
    clientSecret: env.IDP_CLIENT_SECRET,
    scopes: env.IDP_SCOPES,
    name: env.IDP_NAME,
    /** Vouches for addresses on which the provider is silent. */
    trustEmail: env.IDP_TRUST_EMAIL,
  };
  if (env.IDP_ISSUER !== undefined) return { ...provider, issuer: env.IDP_ISSUER, endpoints: undefined };
  if (env.IDP_AUTH_URL === undefined) return undefined;
  const endpoints = { authUrl: env.IDP_AUTH_URL, tokenUrl: env.IDP_TOKEN_URL!, userinfoUrl: env.IDP_USERINFO_URL! };
  return { ...provider, issuer: undefined, endpoints };
}
