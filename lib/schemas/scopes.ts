/** What an API token may be allowed to do. */
export const SCOPES = [
  "profile:read",
  "profile:write",
  "users:read",
  "users:invite",
  "uploads:read",
  "uploads:write",
  "account:read",
  "admin",
] as const;

export type Scope = typeof SCOPES[number];

/**
 * What a request with an API token needs: a scope; "session" where no token may act; "adminSession" for the same where
 * a token without the scope of admins learns no more than elsewhere; null where no scope covers a route that anyone may
 * use.
 */
export type TokenAccess = Scope | "session" | "adminSession" | null;

/** The scope that only admins may have. */
export const ADMIN_SCOPE = "admin" satisfies Scope;

/** The scopes that no person can allow, and that no API token has. */
export const SERVICE_ONLY_SCOPES = ["users:emails", "groups:read", "groups:write"] as const;

/** What a program may be allowed to do that acts as itself, without a person. */
export const SERVICE_SCOPES = ["users:read", "users:invite", ...SERVICE_ONLY_SCOPES, ADMIN_SCOPE] as const;

export type ServiceScope = typeof SERVICE_SCOPES[number];

/** Whether a program that acts as itself may have the scope. */
export function isServiceScope(scope: string): scope is ServiceScope {
  return SERVICE_SCOPES.some((known) => known === scope);
}

/** How many days a token lasts. */
export const TOKEN_DAYS = { min: 1, max: 365, default: 90 };
