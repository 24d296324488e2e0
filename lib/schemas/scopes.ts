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

/** The scope that only admins may have. */
export const ADMIN_SCOPE = "admin" satisfies Scope;
