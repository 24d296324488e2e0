import type { Context } from "fresh";
import type { ServiceToken } from "../../access/service.ts";
import { type Entry, serviceAccessOf, tokenAccessOf } from "../../api/entry.ts";
import { requireUploads } from "../../config/features.ts";
import { isScopeOff } from "../../config/uploads_setting.ts";
import { AppError } from "../../errors/errors.ts";
import { ADMIN_SCOPE, type Scope, type ServiceScope } from "../../schemas/scopes.ts";
import type { State } from "../state.ts";

/**
 * Requires that the scopes of the token cover the endpoint, if the request presents one.
 *
 * @throws {AppError} NOT_FOUND where UPLOADS switches the endpoint off; SESSION_REQUIRED; SCOPE_MISSING with the scope
 * that covers the endpoint, if there is one; USER_REQUIRED for an app that acts as itself.
 */
export function requireScope(entry: Entry, { token, services: { config } }: State): void {
  if (token === undefined) return;
  requireUploads(config, entry.uploads);
  if (token.user === null) return requireServiceScope(entry, token);
  const access = tokenAccessOf(entry);
  if (entry.ownAppsOnly && token.isOfApp && !token.isOfOwnApp) throw scopeMissing([]);
  if (access === "session") throw sessionRequired();
  if (access === null) throw scopeMissing([]);
  const scope = access === "adminSession" ? ADMIN_SCOPE : access;
  // No token can have a scope that is off.
  if (!token.scopes.includes(scope) && !isScopeOff(config, scope)) throw scopeMissing([scope]);
  if (access === "adminSession") throw sessionRequired();
}

function requireServiceScope(entry: Entry, { scopes }: ServiceToken): void {
  const access = serviceAccessOf(entry);
  if (access === "user") throw new AppError("USER_REQUIRED");
  if (access === null) throw scopeMissing([]);
  const needed: ServiceScope[] = access === "session" ? [ADMIN_SCOPE] : access;
  // The first one allows the least.
  if (!needed.some((scope) => scopes.includes(scope))) throw scopeMissing(needed.slice(0, 1));
  if (access === "session") throw sessionRequired();
}

/**
 * Refuses tokens: no scope covers a page.
 *
 * @throws {AppError} SCOPE_MISSING.
 */
export function refuseTokens({ state: { token } }: Context<State>): void {
  if (token !== undefined) throw scopeMissing([]);
}

function scopeMissing(scopes: (Scope | ServiceScope)[]): AppError {
  return new AppError("SCOPE_MISSING", { scopes });
}

/** Returns the error for an act that no API token may do. */
export function sessionRequired(): AppError {
  return new AppError("SESSION_REQUIRED");
}
