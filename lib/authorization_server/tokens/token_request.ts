import type { Client } from "../../activity/client.ts";
import type { Services } from "../../services/services.ts";
import type { RegisteredClient } from "../../config/registered_client.ts";
import { DEVICE_GRANT, SERVICE_GRANT } from "../../config/registered_client.ts";
import { type DevicePoll, pollDevice } from "../device/device_poll.ts";
import { type CodeExchange, exchangeCode } from "./code_exchange.ts";
import { invalidRequest, OAuthError } from "./oauth_error.ts";
import { refreshGrant, type RefreshRequest } from "./refresh.ts";
import { issueServiceToken } from "./service_token.ts";
import type { TokenResponse } from "./token_response.ts";

/** A request for tokens. Each type of grant reads its own parameters. */
export interface TokenRequest extends CodeExchange, RefreshRequest, DevicePoll {
  grantType?: string;
}

/**
 * Answers a request for tokens.
 *
 * @throws {OAuthError} unsupported_grant_type, and what the type of grant throws.
 */
export async function requestTokens(
  services: Services,
  sender: { client: RegisteredClient; from: Client },
  { grantType, ...request }: TokenRequest,
): Promise<TokenResponse> {
  switch (grantType) {
    case undefined:
      throw invalidRequest("grant_type is missing");
    case "authorization_code":
      return await exchangeCode(services, sender, request);
    case "refresh_token":
      return await refreshGrant(services, sender, request);
    case SERVICE_GRANT:
      return await issueServiceToken(services, sender.client, request);
    case DEVICE_GRANT:
      return await pollDevice(services, sender, request);
    default:
      throw new OAuthError("unsupported_grant_type", "unknown grant_type");
  }
}
