import type { Client } from "../../activity/client.ts";
import type { RegisteredClient } from "../../config/registered_client.ts";
import { hashToken } from "../../crypto/token.ts";
import { findDeviceRequest, recordPoll } from "../../grants/device_code.ts";
import type { Services } from "../../services/services.ts";
import { issueFirstTokens } from "../tokens/code_exchange.ts";
import { findGrantOfCode } from "../tokens/live_grant.ts";
import { invalidGrant, invalidRequest, OAuthError } from "../tokens/oauth_error.ts";
import type { TokenResponse } from "../tokens/token_response.ts";
import { requireDeviceGrant } from "./device_request.ts";

/** What a device sends to find out whether its person has answered. */
export interface DevicePoll {
  deviceCode?: string;
}

const CODE = /^[\w-]{43}$/;

/**
 * Answers a device that waits for its person. The first poll after they have agreed gets the tokens, once.
 *
 * @throws {OAuthError} authorization_pending, slow_down, access_denied, expired_token; invalid_grant for a code of
 * another client, one that has been used, or a grant that has ended; invalid_request, unauthorized_client.
 */
export async function pollDevice(
  services: Services,
  { client, from }: { client: RegisteredClient; from: Client },
  { deviceCode }: DevicePoll,
): Promise<TokenResponse> {
  if (deviceCode === undefined) throw invalidRequest("device_code is missing");
  requireDeviceGrant(client);
  const { db, now } = services;
  const request = CODE.test(deviceCode) ? await findDeviceRequest(db, hashToken(deviceCode)) : null;
  if (request === null || request.clientId !== client.id) throw invalidGrant("unknown device code");
  if (request.answer === "denied") throw new OAuthError("access_denied", "the person refused");
  if (request.expiresAt <= now()) throw new OAuthError("expired_token", "expired device code");
  if (request.answer === null) {
    const inTime = await recordPoll(db, { id: request.id, now: now() });
    throw new OAuthError(inTime ? "authorization_pending" : "slow_down", "not answered");
  }
  const grant = await findGrantOfCode(services, request.id);
  if (grant === null) throw invalidGrant("ended grant of a device");
  if (grant.codeSpentAt !== null) throw invalidGrant("device code used before");
  return await issueFirstTokens(services, { client, grant, from }, []);
}
