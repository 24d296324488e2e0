import { v7 } from "uuid";
import type { Principal } from "./principal.ts";
import { originOf } from "../config/variable_types.ts";
import { signJwt } from "../crypto/jwt.ts";
import { MINUTE_SECONDS, unixSeconds } from "../duration.ts";
import { AppError, validationFailed } from "../errors/errors.ts";
import { admits, groupNamesOf } from "../groups/membership.ts";
import type { AccessTokenRequest, AccessTokenView } from "./schema.ts";
import type { Services } from "../services/services.ts";
import { getSigningKey } from "./signing_keys.ts";

const TTL_SECONDS = 5 * MINUTE_SECONDS;

/** A request for an access token. */
interface IssueRequest extends AccessTokenRequest {
  /** The origin of the product whose page asks; null for our own pages, trusted front ends and programs. */
  product: string | null;
}

/**
 * Issues an access token for one of the products in TOKEN_AUDIENCES. A page of a product gets one for its own product
 * only: a token for another product would let it act for the person there.
 *
 * @throws {AppError} FORBIDDEN for another product, or one that is not open to the groups of the person.
 * EMAIL_NOT_VERIFIED: anyone may have registered an address that is not confirmed. VALIDATION_FAILED for an audience
 * that is not listed.
 */
export async function issueAccessToken(
  services: Services,
  { user, session }: Principal,
  { audience, product }: IssueRequest,
): Promise<AccessTokenView> {
  const { config, now: currentTime } = services;
  if (product !== null && originOf(audience) !== product) {
    const cause = `pages of ${product} may get access tokens for that origin only`;
    throw new AppError("FORBIDDEN", { reason: "origin", cause });
  }
  if (!user.emailVerified) throw new AppError("EMAIL_NOT_VERIFIED", { reason: "action" });
  if (!config.tokenAudiences.includes(audience)) throw validationFailed({ audience: [{ rule: "audience" }] });
  const key = await getSigningKey(services, "ES256");
  const now = currentTime();
  const resource = config.registrations?.resources.get(audience);
  const groups = resource === undefined ? [] : await groupNamesOf(services.db, { userId: user.id, now });
  if (resource !== undefined && !admits(resource, groups)) throw new AppError("FORBIDDEN", { reason: "group" });
  const issuedAt = unixSeconds(now);
  const claims = {
    iss: config.baseUrl,
    sub: user.id,
    aud: audience,
    iat: issuedAt,
    exp: issuedAt + TTL_SECONDS,
    jti: v7({ msecs: now.getTime() }),
    sid: session.id,
    email: user.email,
    email_verified: user.emailVerified,
    name: user.name,
    ...user.avatar !== null && { picture: user.avatar },
    role: user.role,
    ...resource?.claims.includes("groups") && { groups },
  };
  return { accessToken: await signJwt(claims, key), tokenType: "Bearer", expiresIn: TTL_SECONDS };
}
