import { prefixOf, type ProviderSettings } from "../config/provider_settings.ts";
import type { ProviderFailure, ProviderStep } from "../errors/errors.ts";

type Failure = Pick<ProviderFailure, "step" | "host" | "status" | "error">;

/** Where a provider is configured. */
interface Configured {
  settings: Pick<ProviderSettings, "key" | "issuer" | "rules" | "secretKey">;
  /** What must be registered at the provider. */
  redirectUri: string;
}

/** The variables with the addresses of a plain provider. */
const ADDRESSES: Record<ProviderStep, string> = {
  discovery: "ISSUER",
  token: "TOKEN_URL",
  userinfo: "USERINFO_URL",
  id_token: "ISSUER",
};

/** Returns the variable or the permission at the provider that is the likely cause of a failure. */
export function hintOf({ step, host, status, error }: Failure, { settings, redirectUri }: Configured): string {
  const prefix = prefixOf(settings.key);
  const known = error === undefined
    ? undefined
    : byError(error, { prefix, redirectUri, signsSecrets: settings.secretKey !== undefined });
  if (known !== undefined) return known;
  const address = `${prefix}${settings.issuer === undefined && step ? ADDRESSES[step] : "ISSUER"}`;
  if (step === undefined) return `Check ${prefix}CLIENT_ID, ${prefix}SCOPES and what is registered at the provider`;
  if (status === undefined) return `Check ${address}, and whether this machine can reach ${host ?? "the provider"}`;
  if (step === "id_token") {
    return `Check ${prefix}CLIENT_ID and ${prefix}ISSUER, and the clock of this machine`;
  }
  if (step === "userinfo" && [401, 403].includes(status)) {
    return `Check ${prefix}SCOPES, and whether the app may read the profile at the provider`;
  }
  return `Check ${address}`;
}

/** Errors of RFC 6749, and those of GitHub. */
function byError(
  error: string,
  { prefix, redirectUri, signsSecrets }: { prefix: string; redirectUri: string; signsSecrets: boolean },
): string | undefined {
  const credentials = signsSecrets
    ? `Check ${prefix}CLIENT_ID, ${prefix}TEAM_ID, ${prefix}KEY_ID and ${prefix}PRIVATE_KEY, and the clock of this machine`
    : `Check ${prefix}CLIENT_ID and ${prefix}CLIENT_SECRET`;
  const redirect = `Check that ${redirectUri} is registered at the provider, exactly so, and the clock of this machine`;
  const hints: Record<string, string> = {
    invalid_client: credentials,
    incorrect_client_credentials: credentials,
    unauthorized_client: "Check that the app may use the authorization code flow at the provider",
    invalid_scope: `Check ${prefix}SCOPES`,
    insufficient_scope: `Check ${prefix}SCOPES`,
    invalid_grant: redirect,
    redirect_uri_mismatch: redirect,
    bad_verification_code: redirect,
  };
  return Object.hasOwn(hints, error) ? hints[error] : undefined;
}

/** Names the permission that lets an app of GitHub read addresses. */
export function githubEmailHint(key: string): string {
  return `Check that ${prefixOf(key)}SCOPES contains user:email. A GitHub App needs the account permission Email ` +
    "addresses (read-only) instead";
}
