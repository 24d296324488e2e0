import { AppError } from "../../errors.ts";
import type { Scope, TokenAccess } from "../../schemas/scopes.ts";

/**
 * What each route needs, by method and pattern. HEAD needs the same as GET. A route that is not listed, such as every
 * page, is refused to all tokens.
 */
export const TOKEN_ROUTES: Readonly<Record<string, TokenAccess>> = {
  "GET /api/profile": "profile:read",
  "GET /auth/check": "profile:read",
  "PUT /api/profile": "profile:write",
  "GET /api/users": "users:read",
  "GET /api/users/:id": "users:read",
  "POST /api/users": "users:invite",
  "GET /api/uploads": "uploads:read",
  "POST /api/uploads/:id/confirm": "uploads:write",
  "DELETE /api/uploads/:id": "uploads:write",
  "POST /api/upload/presign": "uploads:write",
  "POST /api/upload/image": "uploads:write",
  "GET /files/:key*": "uploads:read",
  "PUT /files/:key*": "uploads:write",
  "GET /api/account": "account:read",
  "GET /api/account/events": "account:read",
  "GET /api/account/identities": "account:read",
  "DELETE /api/account": "session",
  "GET /api/account/export": "session",
  "POST /api/account/restore": "session",
  "POST /api/account/email": "session",
  "PUT /api/account/password": "session",
  "POST /api/account/identities": "session",
  "DELETE /api/account/identities/:id": "session",
  "GET /api/account/sessions": "session",
  "DELETE /api/account/sessions/:id": "session",
  "POST /api/account/sessions/end-others": "session",
  "GET /api/tokens": "session",
  "POST /api/tokens": "session",
  "DELETE /api/tokens/:id": "session",
  "GET /api/passkeys": "session",
  "POST /api/passkeys": "session",
  "POST /api/passkeys/options": "session",
  "PATCH /api/passkeys/:id": "session",
  "DELETE /api/passkeys/:id": "session",
  "POST /auth/passkey": "session",
  "POST /auth/passkey/options": "session",
  "POST /api/totp": "session",
  "DELETE /api/totp": "session",
  "POST /api/totp/confirm": "session",
  "POST /api/totp/recovery-codes": "session",
  "POST /auth/second-factor": "session",
  "POST /auth/token": "session",
  "POST /auth/login": "session",
  "POST /auth/code": "session",
  "POST /auth/code/verify": "session",
  "POST /auth/logout": "session",
  "POST /auth/register": "session",
  "POST /auth/reauthenticate": "session",
  "POST /auth/reauthenticate/code": "session",
  "POST /auth/forgot-password": "session",
  "POST /auth/reset-password": "session",
  "POST /auth/not-me": "session",
  "GET /auth/idp": "session",
  "GET /auth/idp/callback": "session",
  "GET /auth/idp/:key": "session",
  "GET /auth/idp/:key/callback": "session",
  "POST /auth/confirm-email": null,
  "POST /auth/verify-email": null,
  "POST /auth/resend-verification": null,
  "GET /api/health": null,
  "GET /api/openapi.json": null,
};

/**
 * Requires that the scopes of a token cover a route.
 *
 * @param route the pattern of the route.
 * @throws {AppError} SESSION_REQUIRED; SCOPE_MISSING with the scope that covers the route, if there is one.
 */
export function requireScope({ method, route, scopes }: { method: string; route: string; scopes: Scope[] }): void {
  const access = accessOf(method, route);
  if (access === "session") throw sessionRequired();
  if (access === null) throw scopeMissing([]);
  if (!scopes.includes(access)) throw scopeMissing([access]);
}

function accessOf(method: string, route: string): TokenAccess {
  const key = `${method === "HEAD" ? "GET" : method} ${route}`;
  return Object.hasOwn(TOKEN_ROUTES, key) ? TOKEN_ROUTES[key] : null;
}

function scopeMissing(scopes: Scope[]): AppError {
  const message = scopes.length === 0
    ? "API tokens can't be used here"
    : `The API token needs the scope ${scopes.join(", ")}`;
  const challenge = `Bearer error="insufficient_scope"${scopes.length === 0 ? "" : `, scope="${scopes.join(" ")}"`}`;
  return new AppError("SCOPE_MISSING", message, { details: { scopes }, challenge });
}

/** Returns the error for an act that no API token may do. */
export function sessionRequired(): AppError {
  return new AppError("SESSION_REQUIRED", "This requires a session. API tokens can't do it");
}
