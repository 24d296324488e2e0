import type { ActiveToken } from "../../access/api_token.ts";
import { ENTRIES } from "../../api/all_entries.ts";
import { type Entry, tokenAccessOf } from "../../api/entry.ts";
import { requireUploads } from "../../config/features.ts";
import { isScopeOff, type UploadsSetting } from "../../config/uploads_setting.ts";
import { AppError } from "../../errors/errors.ts";
import { ADMIN_SCOPE, type Scope, type TokenAccess } from "../../schemas/scopes.ts";

/** What a token needs for a route, and whether UPLOADS can switch it off. */
type RouteAccess = { access: TokenAccess } & Pick<Entry, "refusesApps" | "uploads">;

/** What a token needs, by method and pattern of the route, such as `GET /api/users/:id`. */
const TOKEN_ACCESS: ReadonlyMap<string, RouteAccess> = new Map(
  Object.entries<Entry>(ENTRIES).map(([key, entry]) => [
    key.replaceAll(/\{(\w+\*?)\}/g, ":$1"),
    { access: tokenAccessOf(entry), refusesApps: entry.refusesApps, uploads: entry.uploads },
  ]),
);

const NO_ENTRY: RouteAccess = { access: null };

/**
 * Requires that the scopes of a token cover a route. HEAD needs the same as GET. A route without an entry, such as
 * every page, is refused to all tokens.
 *
 * @param route the pattern of the route.
 * @throws {AppError} NOT_FOUND where UPLOADS switches the route off; SESSION_REQUIRED; SCOPE_MISSING with the scope
 * that covers the route, if there is one.
 */
export function requireScope(
  { config, method, route, token: { scopes, isOfApp } }: {
    config: UploadsSetting;
    method: string;
    route: string;
    token: Pick<ActiveToken, "scopes" | "isOfApp">;
  },
): void {
  const { access, refusesApps, uploads } = TOKEN_ACCESS.get(`${method === "HEAD" ? "GET" : method} ${route}`) ??
    NO_ENTRY;
  requireUploads(config, uploads);
  if (refusesApps && isOfApp) throw scopeMissing([]);
  if (access === "session") throw sessionRequired();
  if (access === null) throw scopeMissing([]);
  const scope = access === "adminSession" ? ADMIN_SCOPE : access;
  // No token can have a scope that is off.
  if (!scopes.includes(scope) && !isScopeOff(config, scope)) throw scopeMissing([scope]);
  if (access === "adminSession") throw sessionRequired();
}

function scopeMissing(scopes: Scope[]): AppError {
  return new AppError("SCOPE_MISSING", { scopes });
}

/** Returns the error for an act that no API token may do. */
export function sessionRequired(): AppError {
  return new AppError("SESSION_REQUIRED");
}
