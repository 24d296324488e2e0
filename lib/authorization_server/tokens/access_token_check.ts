import { listPublicKeys } from "../../access/signing_keys.ts";
import { isJwt } from "../../access/token_format.ts";
import { findClient } from "../../clients/registrations.ts";
import { isService, type RegisteredClient, serviceName } from "../../config/registered_client.ts";
import { isId } from "../../schemas/list.ts";
import type { Services } from "../../services/services.ts";
import { findGrant, type FoundGrant, isAlive } from "./live_grant.ts";
import { ACCESS_TOKEN_TYPE } from "./token_response.ts";

/** The library is loaded at the first check, not at the start. */
const load = () => import("jose");

/** The claims of an access token that we have signed. */
export interface AccessTokenClaims {
  iss: string;
  sub: string;
  aud: string;
  client_id: string;
  iat: number;
  exp: number;
  jti: string;
  scope: string;
  /** The grant. A token for no person has none. */
  gid?: string;
}

/** An access token that counts, and its grant. */
export interface CheckedAccessToken {
  claims: AccessTokenClaims;
  grant: FoundGrant;
  client: RegisteredClient;
}

/** An access token that counts, of an app that acts as itself. */
export interface CheckedServiceToken {
  claims: AccessTokenClaims;
  grant: null;
  client: RegisteredClient;
}

/**
 * Checks an access token of ours for a person, and finds its grant. Returns null if its signature, type, issuer or time
 * is wrong, the grant has ended, or it is for no person. The caller checks the audience. Source: RFC 9068, 4.
 */
export async function checkAccessToken(services: Services, text: string): Promise<CheckedAccessToken | null> {
  const claims = await readClaims(services, text);
  return claims === null ? null : await checkGrant(services, claims);
}

/** Checks an access token of ours like {@linkcode checkAccessToken}, also one for no person. */
export async function checkAnyAccessToken(
  services: Services,
  text: string,
): Promise<CheckedAccessToken | CheckedServiceToken | null> {
  const claims = await readClaims(services, text);
  if (claims === null) return null;
  return await (claims.gid === undefined ? checkService(services, claims) : checkGrant(services, claims));
}

async function readClaims(services: Services, text: string): Promise<AccessTokenClaims | null> {
  return isJwt(text) ? await verify(services, text) : null;
}

async function checkGrant(services: Services, claims: AccessTokenClaims): Promise<CheckedAccessToken | null> {
  const { gid = "" } = claims;
  const grant = isId(gid) ? await findGrant(services, gid) : null;
  if (grant === null || grant.clientId !== claims.client_id) return null;
  const client = await findClient(services, grant.clientId);
  return client !== null && await isAlive(grant, { client, ...services }) ? { claims, grant, client } : null;
}

/** The app must still be one that may act as itself. */
async function checkService(services: Services, claims: AccessTokenClaims): Promise<CheckedServiceToken | null> {
  const { sub, client_id: id } = claims;
  const client = sub === serviceName(id) ? await findClient(services, id) : null;
  return client !== null && isService(client) ? { claims, grant: null, client } : null;
}

async function verify(services: Services, text: string): Promise<AccessTokenClaims | null> {
  const { createLocalJWKSet, errors, jwtVerify } = await load();
  const keys = (await listPublicKeys(services)).filter(({ alg }) => alg === "ES256");
  try {
    const { payload } = await jwtVerify<AccessTokenClaims>(text, createLocalJWKSet({ keys }), {
      algorithms: ["ES256"],
      typ: ACCESS_TOKEN_TYPE,
      issuer: services.config.baseUrl,
      currentDate: services.now(),
      requiredClaims: ["sub", "aud", "exp", "client_id"],
    });
    return payload as AccessTokenClaims;
  } catch (error) {
    if (error instanceof errors.JOSEError) return null;
    throw error;
  }
}
