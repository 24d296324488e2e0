import { combinationProblems, DEVELOPMENT_ORIGIN, Environment, type Variables } from "./environment.ts";

/** A variable is missing or invalid. The message lists every problem. */
export class ConfigError extends Error {
  override name = "ConfigError";
}

/** The configuration, read once at the start. */
export type Config = Omit<Settings, "appSecret"> & { appSecret: string };

/** An identity provider: an OpenID Connect issuer, or the addresses of one that speaks plain OAuth 2.0. */
export type IdpSettings = NonNullable<Settings["idp"]>;

/** The configuration before a missing APP_SECRET is generated. */
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
  // Combinations are checked too, as far as the variables can be read.
  const good = Object.entries(set).filter(([name]) => !issues.some(({ path }) => path[0] === name));
  const variables = data ?? Environment.parse(Object.fromEntries(good));
  const problems = [
    ...issues.map((issue) => `${String(issue.path[0])}: ${issue.message}`),
    ...combinationProblems(set, variables),
  ];
  if (problems.length > 0) {
    throw new ConfigError(`The configuration is not usable:\n${problems.map((line) => `- ${line}`).join("\n")}`);
  }
  return toSettings(variables);
}

/** Returns a line for each setting that a valid configuration probably lacks. */
export function configWarnings({ isProduction, databaseUrl, idp }: Settings): string[] {
  const isSilentProvider = idp !== undefined && idp.issuer === undefined && !idp.trustEmail;
  return [
    ...isProduction && databaseUrl === undefined
      ? ["DATABASE_URL is not set: the embedded database serves one process on one machine"]
      : [],
    ...isSilentProvider
      ? [
        "IDP_TRUST_EMAIL is not set: the identity provider can only sign in people whose profile says that their " +
        "address is verified (email_verified, verified_email or verified)",
      ]
      : [],
  ];
}

function toSettings(env: Variables) {
  const isProduction = env.APP_ENV === "production";
  return {
    isProduction,
    port: env.PORT,
    host: env.HOST ?? (isProduction ? "0.0.0.0" : "127.0.0.1"),
    /** The public origin, without a slash at its end. */
    baseUrl: env.BASE_URL ?? `${DEVELOPMENT_ORIGIN}:${env.PORT}`,
    databaseUrl: env.DATABASE_URL,
    /** Number of isolates that serve. The embedded database allows one. */
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
    /** By policy; see lib/sign_in/rate_limit.ts. */
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
