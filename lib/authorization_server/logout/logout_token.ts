import { getSigningKey } from "../../access/signing_keys.ts";
import { signJwt } from "../../crypto/jwt.ts";
import { unixSeconds } from "../../duration.ts";
import type { Services } from "../../services.ts";
import type { RegisteredClient } from "../registered_client.ts";

/** The type in the header of logout tokens, so that nothing else can pass for one. */
const LOGOUT_TOKEN_TYPE = "logout+jwt";
const LOGOUT_EVENT = "http://schemas.openid.net/event/backchannel-logout";
/** How long a logout token is valid. */
const VALID_SECONDS = 120;

/**
 * Signs a token that tells an app that a session has ended. Source: OpenID Connect Back-Channel Logout, 2.4.
 *
 * @param options.id the same in every token about this session.
 */
export async function signLogoutToken(
  services: Services,
  { client, id, userId, sessionId }: { client: RegisteredClient; id: string; userId: string; sessionId: string },
): Promise<string> {
  const issuedAt = unixSeconds(services.now());
  const claims = {
    iss: services.config.baseUrl,
    aud: client.id,
    iat: issuedAt,
    exp: issuedAt + VALID_SECONDS,
    jti: id,
    sub: userId,
    sid: sessionId,
    events: { [LOGOUT_EVENT]: {} },
  };
  return await signJwt(claims, await getSigningKey(services, client.idTokenAlgorithm), LOGOUT_TOKEN_TYPE);
}
