import { DAY_SECONDS, HOUR_SECONDS } from "../duration.ts";
import { withoutClients } from "./audiences.ts";
import { createBrand } from "../brand/brand.ts";
import { brandSettings } from "./brand_variables.ts";
import { combinationProblems, domainProblems, passwordProblems } from "./combinations.ts";
import { contradictions } from "./contradictions.ts";
import { type CheckClients, type CheckedClients, clientSettings, clientWarnings } from "./client_settings.ts";
import { Environment, type Variables } from "./environment.ts";
import { exampleOf } from "./examples.ts";
import { limitDeclaration, POLICIES, type Policy, variableOf } from "./limits.ts";
import { baseUrlOf, passkeySettings, productOrigins } from "./origins.ts";
import { unusedVariables } from "./unused_variables.ts";
import type { ProviderSettings } from "./provider_settings.ts";
import { providerWarnings, readProviders } from "./provider_variables.ts";
import { databaseWarnings } from "./transport.ts";
import type { Registrations } from "./registered_client.ts";

/**
 * The service cannot start with its configuration. The message lists every problem with an example. It is printed
 * without a stack, so throw it only when an operator can solve the problem.
 */
export class ConfigError extends Error {
  override name = "ConfigError";
}

/** Settings are missing or invalid. */
export class InvalidSettings extends ConfigError {
  /** A line for each problem. */
  readonly problems: string[];

  constructor(problems: string[]) {
    super(`The configuration is invalid:\n${problems.join("\n")}`);
    this.problems = problems;
  }
}

/** The configuration. It is read once, at the start. */
export type Config = Omit<Settings, "appSecret"> & { appSecret: string };

/** The configuration as it is read. APP_SECRET may be missing; it is generated later. */
export type Settings = ReturnType<typeof toSettings>;

/** Settings as far as they are valid, and a line for each problem. */
export interface FoundSettings {
  settings: Settings;
  problems: string[];
}

/**
 * Reads the settings. Empty variables count as unset.
 *
 * @param checkClients checks the content of CLIENTS_FILE, which the caller has read. Without it, there are no clients.
 * @throws {InvalidSettings} with the problems of the variables and of this file.
 */
export function readSettings(env: Record<string, string | undefined>, checkClients?: CheckClients): Settings {
  const { settings, problems } = findSettings(env, checkClients);
  if (problems.length > 0) throw new InvalidSettings(problems);
  return settings;
}

/** Reads the settings, as `readSettings` does. A variable with a problem counts as unset. */
export function findSettings(env: Record<string, string | undefined>, checkClients?: CheckClients): FoundSettings {
  const set = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ""));
  const { error, data } = Environment.safeParse(set);
  const issues = error?.issues ?? [];
  // Checks combinations of the valid variables even if others are invalid, so that one message lists every problem.
  const valid = Object.entries(set).filter(([name]) => !issues.some(({ path }) => path[0] === name));
  const variables = data ?? Environment.parse(Object.fromEntries(valid));
  const { providers, problems: providerProblems } = readProviders(set);
  const problems = [
    ...issues.map((issue) => `${String(issue.path[0])}: ${issue.message}`),
    ...combinationProblems(set, variables),
    ...providerProblems,
    ...passwordProblems(variables, providers),
    ...domainProblems(variables, set),
  ].map(withExample);
  const clients = checkClients?.(clientSettings(variables));
  // The file has its own documentation, and the problems name their position.
  problems.push(...(clients?.problems ?? []).map((problem) => `- CLIENTS_FILE: ${problem}`));
  const settings = toSettings(variables, { providers, registrations: registrationsOf(variables, clients) });
  return { settings, problems };
}

/** Unregistered apps may use the products in TOKEN_AUDIENCES, too. */
function registrationsOf(env: Variables, clients: CheckedClients | undefined): Registrations | null {
  if (clients !== undefined) return clients.registrations;
  return env.CLIENT_METADATA_DOCUMENTS === null ? null : withoutClients(clientSettings(env));
}

/**
 * Adds the example of the variable with whose name the line begins, unless the line shows another one. The value of the
 * variable is not shown: it may be a secret.
 */
function withExample(line: string): string {
  if (line.includes(". Example: ")) return `- ${line}`;
  const [name] = line.split(":");
  return `- ${line}. Example: ${exampleOf(name)}`;
}

/** Returns warnings about settings that are valid but probably incomplete or misspelled. */
export function configWarnings(settings: Settings, env: Record<string, string | undefined> = {}): string[] {
  const { isProduction, databaseUrl, providers } = settings;
  return [
    ...isProduction && databaseUrl === undefined
      ? [
        "DATABASE_URL is not set: the embedded database serves one process on one machine. " +
        `Example: ${exampleOf("DATABASE_URL")}`,
      ]
      : [],
    ...databaseWarnings(settings),
    ...peopleWarnings(env),
    ...loginWarnings(settings, env),
    ...mailWarnings(settings),
    ...contradictions(settings, env),
    ...clientWarnings(settings),
    ...providerWarnings(providers),
    ...unusedVariables(env),
  ];
}

/** An operator who has set one of them has decided who sees whom. */
function peopleWarnings({ APP_ENV, PEOPLE, PUBLIC_USER_EMAILS }: Record<string, string | undefined>): string[] {
  if (APP_ENV !== "production" || PEOPLE || PUBLIC_USER_EMAILS) return [];
  return [
    "PEOPLE and PUBLIC_USER_EMAILS are not set: everyone sees all accounts and their email addresses, also without an " +
    "account. Example: PEOPLE=verified PUBLIC_USER_EMAILS=false",
  ];
}

/** People behind one address, such as those of an office, share its limit. */
function loginWarnings(
  { isProduction, limits: { login } }: Settings,
  { LOGIN_COUNTS }: Record<string, string | undefined>,
): string[] {
  if (!isProduction || login === null || LOGIN_COUNTS) return [];
  return [
    `LOGIN_COUNTS is not set: right logins count too, so after ${login.quota} of them everyone behind the same ` +
    "address has to wait. Example: LOGIN_COUNTS=failures",
  ];
}

/** Strangers choose who gets these emails, and guess the codes in some of them. */
function mailWarnings({ isProduction, limits }: Settings): string[] {
  if (!isProduction || limits.mail_address !== null) return [];
  return [
    "LIMIT_MAIL_ADDRESS is off: strangers can send one person any number of emails. " +
    `Example: ${exampleOf("LIMIT_MAIL_ADDRESS")}`,
  ];
}

/** What the environment does not hold itself. */
interface ReadBeside {
  providers: ProviderSettings[];
  registrations: Registrations | null;
}

function toSettings(env: Variables, { providers, registrations }: ReadBeside) {
  const isProduction = env.APP_ENV === "production";
  return {
    isProduction,
    /** Whether it serves the tests of a product: nothing is limited by default, and the clock can be moved. */
    isTest: env.APP_ENV === "test",
    /** By default, text in a terminal in development, otherwise JSON. */
    logFormat: env.LOG_FORMAT,
    logLevel: env.LOG_LEVEL,
    /** Where each event is written as a line: `stdout`, or the path of a file. */
    auditLog: env.AUDIT_LOG,
    port: env.PORT,
    host: env.HOST ?? (isProduction ? "0.0.0.0" : "127.0.0.1"),
    /** Where Prometheus reads the metrics; undefined for nowhere. */
    metrics: env.METRICS_PORT === undefined ? undefined : { port: env.METRICS_PORT, hostname: env.METRICS_HOST },
    /** The public origin, without a trailing slash. */
    baseUrl: baseUrlOf(env),
    databaseUrl: env.DATABASE_URL,
    /** The number of isolates that serve requests. The embedded database allows one. */
    isolates: env.DATABASE_URL === undefined ? 1 : env.DENO_JOBS,
    dataDir: env.DATA_DIR,
    /** The folder of the operator's own texts. */
    textsDir: env.TEXTS_DIR,
    defaultLanguage: env.DEFAULT_LANGUAGE,
    appSecret: env.APP_SECRET,
    /** What these have protected can still be opened. Nothing new is protected with them. */
    previousAppSecrets: env.APP_SECRET_PREVIOUS,
    passkeys: passkeySettings(env),
    cookieDomain: env.COOKIE_DOMAIN,
    apiOrigins: env.API_ORIGIN,
    corsOrigins: env.CORS_ORIGINS,
    /** The other origins that `next` may lead to. */
    returnOrigins: env.RETURN_ORIGINS,
    /** The products that access tokens may be made for. */
    tokenAudiences: env.TOKEN_AUDIENCES,
    /** The origins of these products. Scripts of their pages may ask for access tokens. */
    productOrigins: productOrigins(env),
    /** The file of clients and resources. */
    clientsFile: env.CLIENTS_FILE,
    /** What this file registers, and the apps made in the browser (lib/clients/registrations.ts); null without any. */
    registrations,
    /** The hosts whose apps need no registration: "all", or their names; null for none. */
    clientDocuments: env.CLIENT_METADATA_DOCUMENTS,
    /** Whether their documents may be at addresses that are not public. For development. */
    clientDocumentsAllowPrivate: env.CLIENT_METADATA_ALLOW_PRIVATE,
    /** The life of an access token of a client that sets none. */
    accessTtlSeconds: env.ACCESS_TTL_SECONDS,
    idTokenTtlSeconds: env.ID_TOKEN_TTL_SECONDS,
    /** The life of an offline grant after its last refresh, and after the authorization. */
    grantTtlSeconds: env.GRANT_TTL_SECONDS,
    grantMaxSeconds: env.GRANT_MAX_SECONDS,
    /** How long a refresh token may be repeated. */
    refreshGraceSeconds: env.REFRESH_GRACE_SECONDS,
    trustedProxies: env.TRUSTED_PROXIES,
    /** Who may open an account: anyone, only people who are invited, or no one. */
    registration: env.REGISTRATION,
    /** The domains of the addresses that accounts may get. None: any. */
    allowedEmailDomains: env.ALLOWED_EMAIL_DOMAINS ?? [],
    sessionTtlSeconds: env.SESSION_TTL_SECONDS,
    sessionMaxSeconds: env.SESSION_MAX_SECONDS,
    sudoSeconds: env.SUDO_SECONDS,
    resetTokenTtlSeconds: env.RESET_TOKEN_TTL_SECONDS,
    invitationTtlSeconds: env.INVITATION_TTL_SECONDS,
    verifyTokenTtlSeconds: env.VERIFY_TOKEN_TTL_SECONDS,
    deletionGraceSeconds: env.DELETION_GRACE_DAYS * DAY_SECONDS,
    /** The age at which an account that was never confirmed is deleted; 0 for never. */
    unverifiedKeptSeconds: env.UNVERIFIED_KEPT_DAYS * DAY_SECONDS,
    /** How long people who have lost their second factor wait for its removal; 0 if no one can remove it. */
    factorResetSeconds: env.FACTOR_RESET_HOURS * HOUR_SECONDS,
    /** Who must have a second factor; null if it is everyone's own choice. */
    secondFactor: env.SECOND_FACTOR,
    /** How long they may put it off. */
    secondFactorGraceSeconds: env.SECOND_FACTOR_GRACE_DAYS * DAY_SECONDS,
    /** For how long a trusted device skips the second step; 0 if no device is trusted. */
    trustDeviceSeconds: env.TRUST_DEVICE_DAYS * DAY_SECONDS,
    eventsKeptSeconds: env.EVENTS_KEPT_DAYS * DAY_SECONDS,
    /** How long events keep the client address; 0 for as long as they are kept. */
    addressesKeptSeconds: env.ADDRESSES_KEPT_DAYS * DAY_SECONDS,
    pbkdf2Iterations: env.PBKDF2_ITERATIONS,
    /** Followed by the start of a hash; see lib/passwords/breached_passwords.ts. */
    breachedPasswordsUrl: env.BREACHED_PASSWORDS_URL,
    /** What passwords are for; see lib/config/passwords_setting.ts. */
    passwords: env.PASSWORDS,
    /** The domains whose people log in through one provider only; see lib/config/sign_in_domains.ts. */
    signInDomains: env.SIGN_IN_DOMAINS ?? [],
    /** Whether people can log in with a code that is emailed to them. */
    signInCodes: env.SIGN_IN_CODES,
    /** What counts under the policy `login`. */
    loginCounts: env.LOGIN_COUNTS,
    /** By policy; see lib/limits/rate_limit.ts. */
    limits: limitsOf(env),
    emailApiUrl: env.EMAIL_API_URL,
    emailApiToken: env.EMAIL_API_TOKEN,
    /** The mail server that takes emails, instead of the delivery service. */
    emailUrl: env.EMAIL_URL,
    emailFrom: env.EMAIL_FROM,
    /** The identity providers, in the order of their buttons. */
    providers,
    s3: env.S3_ENDPOINT === undefined ? undefined : {
      endpoint: env.S3_ENDPOINT,
      region: env.S3_REGION!,
      bucket: env.S3_BUCKET!,
      /** The bucket of private files; by default, they are in the other one. */
      privateBucket: env.S3_PRIVATE_BUCKET,
      accessKeyId: env.S3_ACCESS_KEY_ID!,
      secretAccessKey: env.S3_SECRET_ACCESS_KEY!,
      publicUrl: env.S3_PUBLIC_URL!,
    },
    /** What people may store; see lib/config/features.ts. */
    uploads: env.UPLOADS,
    uploadMaxBytes: env.UPLOAD_MAX_BYTES,
    /** The space of each user; 0 for no limit. */
    uploadQuotaBytes: env.UPLOAD_QUOTA_BYTES,
    /** The space of a user whose address is not confirmed; 0 for none. */
    unverifiedQuotaBytes: env.UNVERIFIED_QUOTA_BYTES,
    /** What happens to uploads that no one confirms within a day. */
    uploadUnconfirmed: env.UPLOAD_UNCONFIRMED,
    /** Whether webhooks may lead to http and to addresses that are not public. For development. */
    webhookAllowPrivate: env.WEBHOOK_ALLOW_PRIVATE,
    /** Hosts for which they may do so in production too. */
    webhookPrivateHosts: env.WEBHOOK_PRIVATE_HOSTS,
    /** The folder that this service shares with its image converters. */
    converterFolder: env.CONVERTER_FOLDER,
    imageMaxPixels: env.IMAGE_MAX_PIXELS,
    avatarMaxDimension: env.AVATAR_MAX_DIMENSION,
    postImageMaxDimension: env.POST_IMAGE_MAX_DIMENSION,
    publicUserEmails: env.PUBLIC_USER_EMAILS,
    /** Who is seen by others: all accounts, those with a confirmed address, these only by members, or no one. */
    people: env.PEOPLE,
    /** The operator's product. loadConfig adds the files that its settings name. */
    brand: createBrand(brandSettings(env)),
    /** Where people go after logging in, unless a page sent them: a path, or an address in `returnOrigins`. */
    afterLoginUrl: env.AFTER_LOGIN_URL,
  };
}

function limitsOf(env: Variables) {
  const limits = POLICIES.map((policy) => {
    const set = env[variableOf(policy)];
    const { quota, windowSeconds } = limitDeclaration(policy);
    const byDefault = env.APP_ENV === "test" ? null : { quota, windowSeconds };
    return [policy, set === undefined ? byDefault : set];
  });
  return {
    ...Object.fromEntries(limits) as Record<Policy, NonNullable<Variables["LIMIT_LOGIN"]> | null>,
    ...env.LIMIT_LOGIN === undefined && env.APP_ENV !== "test" && { login: loginLimit(env) },
  };
}

function loginLimit({ LOGIN_MAX_ATTEMPTS: quota, LOGIN_WINDOW_SECONDS: windowSeconds }: Variables) {
  return quota === 0 ? null : { quota, windowSeconds };
}
