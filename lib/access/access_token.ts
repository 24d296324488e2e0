import { v7 } from "uuid";
import type { Principal } from "./principal.ts";
import { signJwt } from "../crypto/jwt.ts";
import { MINUTE_SECONDS, unixSeconds } from "../duration.ts";
import { AppError, validationFailed } from "../errors.ts";
import type { AccessTokenRequest } from "../schemas/access_token.ts";
import type { AccessTokenView } from "../schemas/views/tokens.ts";
import type { Services } from "../services.ts";
import { getSigningKey } from "./signing_keys.ts";

const TTL_SECONDS = 5 * MINUTE_SECONDS;

/**
 * Issues an access token for one of the products in TOKEN_AUDIENCES.
 *
 * @throws {AppError} EMAIL_NOT_VERIFIED: anyone may have registered an address that is not confirmed. VALIDATION_FAILED for
 * another audience.
 */
export async function issueAccessToken(
  services: Services,
  { user, session }: Principal,
  { audience }: AccessTokenRequest,
): Promise<AccessTokenView> {
  const { config, now: currentTime } = services;
  if (!user.emailVerified) throw new AppError("EMAIL_NOT_VERIFIED", { reason: "action" });
  if (!config.tokenAudiences.includes(audience)) throw validationFailed({ audience: [{ rule: "audience" }] });
  const key = await getSigningKey(services, "ES256");
  const now = currentTime();
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
    role: user.role,
  };
  return { accessToken: await signJwt(claims, key), tokenType: "Bearer", expiresIn: TTL_SECONDS };
}
