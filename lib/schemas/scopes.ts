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

/** What a program may be allowed to do that acts as itself, without a person. */
export const SERVICE_SCOPES = ["users:read", "users:invite"] as const satisfies Scope[];

/** How many days a token lasts. */
export const TOKEN_DAYS = { min: 1, max: 365, default: 90 };
