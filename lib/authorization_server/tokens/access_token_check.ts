import { listPublicKeys } from "../../access/signing_keys.ts";
import { isJwt } from "../../access/token_format.ts";
import { findClient } from "../../clients/registrations.ts";
import type { RegisteredClient } from "../../config/registered_client.ts";
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
  gid: string;
}

/** An access token that counts, and its grant. */
export interface CheckedAccessToken {
  claims: AccessTokenClaims;
  grant: FoundGrant;
  client: RegisteredClient;
}

/**
 * Checks an access token of ours and finds its grant. Returns null if its signature, type, issuer or time is wrong, or
 * the grant has ended. The caller checks the audience. Source: RFC 9068, 4.
 */
export async function checkAccessToken(services: Services, text: string): Promise<CheckedAccessToken | null> {
  const claims = isJwt(text) ? await verify(services, text) : null;
  const grant = claims && isId(claims.gid) ? await findGrant(services, claims.gid) : null;
  if (claims === null || grant === null || grant.clientId !== claims.client_id) return null;
  const client = await findClient(services, grant.clientId);
  return client !== null && await isAlive(grant, { client, ...services }) ? { claims, grant, client } : null;
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
      requiredClaims: ["sub", "aud", "exp", "client_id", "gid"],
    });
    return payload as AccessTokenClaims;
  } catch (error) {
    if (error instanceof errors.JOSEError) return null;
    throw error;
  }
}
