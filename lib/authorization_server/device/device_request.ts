import type { Client } from "../../activity/client.ts";
import { DEVICE_GRANT, type RegisteredClient } from "../../config/registered_client.ts";
import { createToken, hashToken } from "../../crypto/token.ts";
import { createUserCode, DEVICE_CODE_SECONDS, insertDeviceRequest, POLL_SECONDS } from "../../grants/device_code.ts";
import type { Services } from "../../services/services.ts";
import { RefusedRequest } from "../authorize/authorize_error.ts";
import { type AskedAccess, readAccess } from "../authorize/authorize_request.ts";
import type { RequestedAccess } from "../tokens/audience.ts";
import { OAuthError } from "../tokens/oauth_error.ts";

/** What a device gets, and shows to its person. Source: RFC 8628, 3.2. */
export interface DeviceAuthorization {
  device_code: string;
  user_code: string;
  verification_uri: string;
  expires_in: number;
  interval: number;
}

/** The path of the page on which people type the code. No link carries it: that is what a phisher would send. */
export const DEVICE_PATH = "/device";

/**
 * Gives a device the codes with which it asks for access.
 *
 * @throws {OAuthError} unauthorized_client, invalid_scope, invalid_target.
 */
export async function startDeviceRequest(
  { config, db, now }: Services,
  { client, from }: { client: RegisteredClient; from: Client },
  asked: RequestedAccess,
): Promise<DeviceAuthorization> {
  requireDeviceGrant(client);
  const { scopes, resource } = readAsked(asked, { client, registrations: config.registrations! });
  const deviceCode = createToken();
  const userCode = createUserCode();
  await insertDeviceRequest(db, {
    id: hashToken(deviceCode),
    userCode,
    clientId: client.id,
    scopes,
    resource: resource?.uri ?? null,
    address: from.address,
    userAgent: from.userAgent,
    now: now(),
  }, config);
  return {
    device_code: deviceCode,
    user_code: userCode,
    verification_uri: config.baseUrl + DEVICE_PATH,
    expires_in: DEVICE_CODE_SECONDS,
    interval: POLL_SECONDS,
  };
}

/** @throws {OAuthError} unauthorized_client. */
export function requireDeviceGrant({ grantTypes }: RegisteredClient): void {
  if (!grantTypes.includes(DEVICE_GRANT)) throw new OAuthError("unauthorized_client", "no device codes");
}

function readAsked(asked: RequestedAccess, context: Parameters<typeof readAccess>[1]): AskedAccess {
  try {
    return readAccess({ scope: asked.scope ?? null, resources: asked.resources }, context);
  } catch (error) {
    if (!(error instanceof RefusedRequest)) throw error;
    throw new OAuthError(error.error as "invalid_scope" | "invalid_target", error.message, error.message);
  }
}
