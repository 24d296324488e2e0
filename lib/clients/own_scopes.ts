import { ADMIN_SCOPE, SCOPES, SERVICE_ONLY_SCOPES } from "../schemas/scopes.ts";

/** The scopes of OpenID Connect, and the groups of the person. Source: OpenID Connect Core 1.0, 5.4 and 11. */
const OPENID_SCOPES = ["openid", "profile", "email", "groups", "offline_access"] as const;

/**
 * The scopes that clients may ask a person for without a resource: those of OpenID Connect and of the API, except for
 * admins.
 */
export const OWN_SCOPES: readonly string[] = [...OPENID_SCOPES, ...SCOPES.filter((scope) => scope !== ADMIN_SCOPE)];

/** Makes a grant outlive its session. */
export const OFFLINE_ACCESS = "offline_access";

/** Whether a scope allows more than to learn who someone is: it is one of the API, or of a resource. */
export function isSensitiveScope(scope: string): boolean {
  return !OPENID_SCOPES.some((known) => known === scope);
}

/** Names that no scope of a resource may have. */
export const RESERVED_SCOPES: readonly string[] = [...OPENID_SCOPES, ...SCOPES, ...SERVICE_ONLY_SCOPES];
