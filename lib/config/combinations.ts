import { brandProblems } from "./brand_variables.ts";
import { isConfidential, LOOPBACK_NAMES } from "../network/loopback.ts";
import { DEVELOPMENT_ORIGIN, SETTINGS, type Variables } from "./environment.ts";
import { exampleOf } from "./examples.ts";
import { transportProblems } from "./transport.ts";
import { hasDefaultProvider, providerKeys } from "./provider_variables.ts";
import { DEFAULT_PROVIDER } from "./provider_settings.ts";
import type { Setting } from "./variable_types.ts";

/** The variables that production requires. */
const REQUIRED = Object.entries<Setting>(SETTINGS).flatMap(([name, { isRequired }]) => isRequired ? [name] : []);
const S3 = [
  "S3_ENDPOINT",
  "S3_REGION",
  "S3_BUCKET",
  "S3_ACCESS_KEY_ID",
  "S3_SECRET_ACCESS_KEY",
  "S3_PUBLIC_URL",
] as const;

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
    ...brandProblems(variables),
    ...guardProblems(variables),
    ...bucketProblems(variables),
    ...portProblems(variables),
  ];
}

/** Without passwords, people need another way in that everyone can take. */
export function passwordProblems({ PASSWORDS, SIGN_IN_CODES }: Variables, providers: unknown[]): string[] {
  if (PASSWORDS !== "off" || SIGN_IN_CODES || providers.length > 0) return [];
  return [
    "PASSWORDS: off needs another way to log in: an identity provider, or SIGN_IN_CODES=true. " +
    "Example: PASSWORDS=existing",
  ];
}

/** People of a domain whose provider does not exist could not log in at all. */
export function domainProblems({ SIGN_IN_DOMAINS = [] }: Variables, env: Record<string, string | undefined>): string[] {
  const keys = [...hasDefaultProvider(env) ? [DEFAULT_PROVIDER] : [], ...providerKeys(env)];
  const example = `Example: ${exampleOf("SIGN_IN_DOMAINS")}`;
  return [...new Set(SIGN_IN_DOMAINS.map(({ provider }) => provider))].filter((key) => !keys.includes(key)).map((key) =>
    `SIGN_IN_DOMAINS: there is no provider ${key}${
      keys.length === 0 ? "; IDP_PROVIDERS names none" : `, only ${keys.join(", ")}`
    }. ${example}`
  );
}

/** Reports missing variables that production or another variable requires. */
function missing(env: Record<string, string | undefined>): string[] {
  const lines: string[] = [];
  const need = (names: readonly string[], why: string) =>
    lines.push(...names.filter((name) => !env[name]).map((name) => `${name}: required ${why}`));
  if (env.APP_ENV === "production") need(REQUIRED, "in production");
  if ([...S3, "S3_PRIVATE_BUCKET"].some((name) => env[name])) need(S3, "with any other S3_ variable");
  return lines;
}

/** Emails go one way. In development, they may also become files. */
function mailProblems({ APP_ENV, EMAIL_URL, EMAIL_API_TOKEN }: Variables): string[] {
  if (EMAIL_URL !== undefined && EMAIL_API_TOKEN !== undefined) {
    return ["EMAIL_URL: cannot be set together with EMAIL_API_TOKEN; remove one"];
  }
  if (APP_ENV !== "production" || EMAIL_URL !== undefined || EMAIL_API_TOKEN !== undefined) return [];
  return ["EMAIL_API_TOKEN: required in production, unless EMAIL_URL names a mail server"];
}

/** Cookies are Secure in production, and browsers send these over http only to loopback. */
function originProblems({ APP_ENV, BASE_URL = DEVELOPMENT_ORIGIN, RETURN_ORIGINS }: Variables): string[] {
  if (APP_ENV === "test" && !LOOPBACK_NAMES.includes(new URL(BASE_URL).hostname)) {
    return ["BASE_URL: must be an address of this machine with APP_ENV=test, such as http://localhost:8000"];
  }
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
  const rule = "gets no session: it must have the host of BASE_URL or be inside COOKIE_DOMAIN. " +
    `Example: ${exampleOf("COOKIE_DOMAIN")}`;
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

/** An admin, or anyone at all, could reach what only the machine of the service can. */
function guardProblems(variables: Variables): string[] {
  if (variables.APP_ENV !== "production") return [];
  return (["WEBHOOK_ALLOW_PRIVATE", "CLIENT_METADATA_ALLOW_PRIVATE"] as const).filter((name) => variables[name])
    .map((name) => `${name}: must not be true in production. Example: ${name}=false`);
}

/** The bucket of private files must not be the one that everyone can read. */
function bucketProblems({ S3_BUCKET, S3_PRIVATE_BUCKET }: Variables): string[] {
  if (S3_PRIVATE_BUCKET === undefined || S3_PRIVATE_BUCKET !== S3_BUCKET) return [];
  return ["S3_PRIVATE_BUCKET: must differ from S3_BUCKET, or be unset"];
}

/** Visitors must not reach the metrics. */
function portProblems({ PORT, METRICS_PORT }: Variables): string[] {
  return PORT === METRICS_PORT ? ["METRICS_PORT: must differ from PORT"] : [];
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
