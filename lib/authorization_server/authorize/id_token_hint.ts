import { listPublicKeys } from "../../access/signing_keys.ts";
import type { Services } from "../../services/services.ts";

/** What an ID token says that an app presents again. */
export interface IdTokenHint {
  userId: string;
  clientId: string;
  /** The public id of the session in which the person agreed. */
  sessionId: string | null;
}

/**
 * Reads an ID token that an app presents as a hint. It may have expired. Returns null if this service has not signed it
 * with a key that it still publishes, or if it is another kind of token: those of `/auth/token` do not say when the
 * person proved who they are. Source: OpenID Connect Core, 3.1.2.1.
 */
export async function readIdTokenHint(services: Services, hint: string): Promise<IdTokenHint | null> {
  const { compactVerify, createLocalJWKSet } = await import("jose");
  try {
    const keys = createLocalJWKSet({ keys: await listPublicKeys(services) });
    const { payload, protectedHeader: { typ = "JWT" } } = await compactVerify(hint, keys, {
      algorithms: ["RS256", "ES256"],
    });
    const { iss, sub, aud, sid, auth_time } = JSON.parse(new TextDecoder().decode(payload));
    const isIdToken = typ === "JWT" && iss === services.config.baseUrl && typeof auth_time === "number";
    if (!isIdToken || typeof aud !== "string" || typeof sub !== "string") return null;
    return { userId: sub, clientId: aud, sessionId: typeof sid === "string" ? sid : null };
  } catch {
    return null;
  }
}
