import type { Config } from "../../config/config.ts";
import { wordsOf } from "../authorize/authorize_request.ts";
import { OWN_SCOPES } from "../../clients/own_scopes.ts";
import type { RegisteredClient } from "../../config/registered_client.ts";
import { namedResource } from "../resource_uri.ts";
import type { FoundGrant } from "./live_grant.ts";
import { invalidRequest, OAuthError } from "./oauth_error.ts";

/** What a token request may narrow. */
export interface RequestedAccess {
  scope?: string;
  resources: string[];
}

/** What the tokens of a response are for. */
export interface Access {
  /** Everything that the app may have. */
  granted: string[];
  /** What the access token is for: a part of it. */
  scopes: string[];
  /** The resource, or this service. */
  audience: string;
}

/**
 * Returns what a token request asks for: by default, all that was granted, for the resource that was granted. With
 * `openid`, an app may also ask for an access token for this service, to read who the person is.
 *
 * @throws {OAuthError} invalid_scope, invalid_target, invalid_request.
 */
export function findRequested(
  { baseUrl, registrations }: Pick<Config, "baseUrl" | "registrations">,
  { grant, client }: { grant: FoundGrant; client: RegisteredClient },
  { scope, resources }: RequestedAccess,
): Access {
  // The file may have changed since.
  const granted = grant.scopes.filter((each) => client.scopes.includes(each));
  const wanted = scope === undefined ? granted : parseScope(scope);
  if (wanted.some((each) => !granted.includes(each))) throw new OAuthError("invalid_scope", "not granted");
  const known = grant.resource === null ? [baseUrl] : [grant.resource, baseUrl];
  const [audience = known[0], ...others] = new Set(resources.map((each) => namedResource(each, known)));
  const isOwn = audience === baseUrl && (grant.resource === null || granted.includes("openid"));
  const isGranted = audience === grant.resource && client.resources.includes(audience) &&
    registrations!.resources.has(audience);
  if (others.length > 0 || !(isOwn || isGranted)) throw new OAuthError("invalid_target", "not granted");
  return { granted, scopes: wanted, audience };
}

/** Returns the scopes that an access token for an audience names: only its own, or else a product could use ours. */
export function scopesOfAudience(
  { baseUrl, registrations }: Pick<Config, "baseUrl" | "registrations">,
  { scopes, audience }: Pick<Access, "scopes" | "audience">,
): string[] {
  if (audience === baseUrl) return scopes.filter((scope) => OWN_SCOPES.includes(scope));
  const resource = registrations!.resources.get(audience);
  return scopes.filter((scope) => resource?.scopes.has(scope));
}

/**
 * Returns the scopes in a list.
 *
 * @throws {OAuthError} invalid_request. Source: RFC 6749, 3.3.
 */
export function parseScope(scope: string): string[] {
  const words = wordsOf(scope);
  if (words.some((word) => !/^[\x21\x23-\x5B\x5D-\x7E]+$/.test(word))) throw invalidRequest("scope is malformed");
  return [...new Set(words)];
}
