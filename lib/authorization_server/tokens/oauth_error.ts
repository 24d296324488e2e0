/**
 * The errors of the routes that apps call, with their statuses. Source: RFC 6749, 5.2; RFC 6750, 3.1; RFC 7009, 2.2.1;
 * RFC 8707, 2; RFC 8628, 3.5.
 */
export const OAUTH_ERROR_STATUS = {
  invalid_request: 400,
  invalid_client: 401,
  invalid_grant: 400,
  unauthorized_client: 400,
  unsupported_grant_type: 400,
  unsupported_token_type: 400,
  invalid_scope: 400,
  invalid_target: 400,
  authorization_pending: 400,
  slow_down: 400,
  access_denied: 400,
  expired_token: 400,
  invalid_token: 401,
  insufficient_scope: 403,
} as const;

export type OAuthErrorCode = keyof typeof OAUTH_ERROR_STATUS;

/** What apps read besides the code. One text for all causes of invalid_grant, so that it reveals none of them. */
const DESCRIPTIONS: Record<OAuthErrorCode, string> = {
  invalid_request: "The request is malformed",
  invalid_client: "Client authentication failed",
  invalid_grant:
    "The code or refresh token is invalid, expired, used or revoked, or belongs to another client or redirect URI",
  unauthorized_client: "The client may not use this grant type",
  unsupported_grant_type: "The grant type is not supported",
  unsupported_token_type: "The token expires by itself and cannot be revoked",
  invalid_scope: "The scope was not granted",
  invalid_target: "The resource was not granted",
  authorization_pending: "The person has not answered yet",
  slow_down: "Wait five seconds longer between requests",
  access_denied: "The person refused",
  expired_token: "The device code has expired",
  invalid_token: "The access token is invalid, expired or revoked",
  insufficient_scope: "The access token lacks the scope openid",
};

/** An error that an app gets in the form of OAuth. */
export class OAuthError extends Error {
  override name = "OAuthError";
  readonly code: OAuthErrorCode;
  /** In ASCII, without quotes. */
  readonly description: string;
  /** Why, for the log only. It must hold nothing secret. */
  readonly reason: string;

  /** @param description replaces the usual one, where it reveals nothing. */
  constructor(code: OAuthErrorCode, reason: string, description = DESCRIPTIONS[code]) {
    super(`${code}: ${reason}`);
    this.code = code;
    this.reason = reason;
    this.description = description;
  }

  /** The HTTP status of the code. */
  get status(): number {
    return OAUTH_ERROR_STATUS[this.code];
  }
}

/** Returns the error for a missing, repeated or malformed parameter. */
export function invalidRequest(description: string): OAuthError {
  return new OAuthError("invalid_request", description, description);
}

/** Returns the error for a code or a refresh token that does not count. */
export function invalidGrant(reason: string): OAuthError {
  return new OAuthError("invalid_grant", reason);
}
