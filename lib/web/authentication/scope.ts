import { ENTRIES } from "../../api/all_entries.ts";
import { type Entry, tokenAccessOf } from "../../api/entry.ts";
import { AppError } from "../../errors.ts";
import { ADMIN_SCOPE, type Scope, type TokenAccess } from "../../schemas/scopes.ts";

/** What an API token needs, by method and pattern of the route, such as `GET /api/users/:id`. */
const TOKEN_ACCESS: ReadonlyMap<string, TokenAccess> = new Map(
  Object.entries<Entry>(ENTRIES).map(([key, entry]) => [key.replaceAll(/\{(\w+\*?)\}/g, ":$1"), tokenAccessOf(entry)]),
);

/**
 * Requires that the scopes of a token cover a route. HEAD needs the same as GET. A route without an entry, such as every
 * page, is refused to all tokens.
 *
 * @param route the pattern of the route.
 * @throws {AppError} SESSION_REQUIRED; SCOPE_MISSING with the scope that covers the route, if there is one.
 */
export function requireScope({ method, route, scopes }: { method: string; route: string; scopes: Scope[] }): void {
  const access = TOKEN_ACCESS.get(`${method === "HEAD" ? "GET" : method} ${route}`) ?? null;
  if (access === "session") throw sessionRequired();
  if (access === null) throw scopeMissing([]);
  const scope = access === "adminSession" ? ADMIN_SCOPE : access;
  if (!scopes.includes(scope)) throw scopeMissing([scope]);
  if (access === "adminSession") throw sessionRequired();
}

function scopeMissing(scopes: Scope[]): AppError {
  return new AppError("SCOPE_MISSING", { scopes });
}

/** Returns the error for an act that no API token may do. */
export function sessionRequired(): AppError {
  return new AppError("SESSION_REQUIRED");
}
