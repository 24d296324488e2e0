import type { PasswordsSetting } from "./passwords_setting.ts";
import type { UploadsSetting } from "./uploads_setting.ts";
import { exampleOf } from "./examples.ts";
import { originOf } from "./variable_types.ts";

interface Compared extends PasswordsSetting {
  signInCodes: boolean;
  providers: unknown[];
  uploads: UploadsSetting["uploads"];
  sessionTtlSeconds: number;
  sessionMaxSeconds: number;
  uploadMaxBytes: number;
  /** 0 for no limit. */
  uploadQuotaBytes: number;
  tokenAudiences: string[];
}

/** Returns a warning for each setting that another one overrides or makes pointless. */
export function contradictions(settings: Compared, env: Record<string, string | undefined>): string[] {
  return [
    ...lifetimeWarnings(settings),
    ...quotaWarnings(settings),
    ...uploadWarnings(settings, env),
    ...isolateWarnings(env),
    ...loginWarnings(env),
    ...passwordWarnings(settings),
    ...metricsWarnings(env),
    ...audienceWarnings(settings),
  ];
}

function lifetimeWarnings({ sessionTtlSeconds, sessionMaxSeconds }: Compared): string[] {
  if (sessionTtlSeconds <= sessionMaxSeconds) return [];
  return [
    "SESSION_TTL_SECONDS is more than SESSION_MAX_SECONDS, which ends every session earlier. " +
    `Example: SESSION_TTL_SECONDS=${sessionMaxSeconds}`,
  ];
}

function quotaWarnings({ uploadMaxBytes, uploadQuotaBytes }: Compared): string[] {
  if (uploadQuotaBytes === 0 || uploadMaxBytes <= uploadQuotaBytes) return [];
  return [
    "UPLOAD_MAX_BYTES is more than UPLOAD_QUOTA_BYTES, so the largest uploads are refused. " +
    `Example: UPLOAD_MAX_BYTES=${uploadQuotaBytes}`,
  ];
}

const OF_FILES = ["UPLOAD_MAX_BYTES", "UPLOAD_UNCONFIRMED", "POST_IMAGE_MAX_DIMENSION", "LIMIT_PRESIGN", "LIMIT_LINK"];
const OF_PHOTOS = ["IMAGE_MAX_PIXELS", "AVATAR_MAX_DIMENSION", "LIMIT_IMAGE"];

function uploadWarnings({ uploads }: Compared, env: Record<string, string | undefined>): string[] {
  const ignored = uploads === "on" ? [] : uploads === "photos" ? OF_FILES : [...OF_FILES, ...OF_PHOTOS];
  return ignored.filter((name) => env[name]).map((name) =>
    `${name} has no effect with UPLOADS=${uploads}: remove one of them. Example: UPLOADS=on`
  );
}

function isolateWarnings({ DENO_JOBS, DATABASE_URL }: Record<string, string | undefined>): string[] {
  if (DATABASE_URL || Number(DENO_JOBS ?? 1) <= 1) return [];
  return [
    "DENO_JOBS has no effect without DATABASE_URL: one isolate serves with the embedded database. " +
    `Example: ${exampleOf("DATABASE_URL")}`,
  ];
}

/** Someone without a passkey then has no other way in. */
function passwordWarnings({ passwords, signInCodes, providers }: Compared): string[] {
  if (passwords !== "existing" || signInCodes || providers.length > 0) return [];
  return [
    "PASSWORDS=existing without SIGN_IN_CODES and without a provider: people who lose their password or their only " +
    "passkey need an admin, who emails them a link. Example: SIGN_IN_CODES=true",
  ];
}

function metricsWarnings({ METRICS_HOST, METRICS_PORT }: Record<string, string | undefined>): string[] {
  if (!METRICS_HOST || METRICS_PORT) return [];
  return [`METRICS_HOST has no effect without METRICS_PORT. Example: ${exampleOf("METRICS_PORT")}`];
}

/** Audiences are texts. Browsers name an origin without a slash, so pages of such a product get no tokens. */
function audienceWarnings({ tokenAudiences }: Compared): string[] {
  return tokenAudiences.filter((audience) => originOf(audience) !== null && audience !== originOf(audience)).map((
    audience,
  ) =>
    `TOKEN_AUDIENCES has ${audience}, which is compared letter by letter: products and browsers usually write their ` +
    `origin otherwise. Example: TOKEN_AUDIENCES=${originOf(audience)}`
  );
}

function loginWarnings(env: Record<string, string | undefined>): string[] {
  const ignored = ["LOGIN_MAX_ATTEMPTS", "LOGIN_WINDOW_SECONDS"].filter((name) => env[name]);
  if (!env.LIMIT_LOGIN || ignored.length === 0) return [];
  const names = ignored.join(" and ");
  return [`LIMIT_LOGIN overrides ${names}: remove ${names}. Example: ${exampleOf("LIMIT_LOGIN")}`];
}
