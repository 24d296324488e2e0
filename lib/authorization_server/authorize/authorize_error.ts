import { answerAddress, type ReturnAddress } from "./redirect_uri.ts";

/** The errors that an app can get instead of a code. Source: RFC 6749, 4.1.2.1; OpenID Connect Core, 3.1.2.6. */
export type AuthorizeError =
  | "access_denied"
  | "consent_required"
  | "interaction_required"
  | "invalid_request"
  | "invalid_scope"
  | "invalid_target"
  | "login_required"
  | "registration_not_supported"
  | "request_not_supported"
  | "request_uri_not_supported"
  | "temporarily_unavailable"
  | "unauthorized_client"
  | "unsupported_response_type";

/** A request that the app must correct. The error goes to the app. */
export class RefusedRequest extends Error {
  constructor(readonly error: AuthorizeError, override readonly message: string) {
    super(message);
  }
}

/** Returns the address that takes the browser back to the app with an error. */
export function errorAddress(
  target: ReturnAddress,
  { error, issuer }: { error: AuthorizeError; issuer: string },
  description = DESCRIPTIONS[error],
): string {
  return answerAddress(target, { error, ...(description && { error_description: description }), issuer });
}

/** The descriptions of errors that have one cause. Developers read them, so they are English. */
const DESCRIPTIONS: Partial<Record<AuthorizeError, string>> = {
  access_denied: "The person refused",
  consent_required: "The person has not agreed to this",
  interaction_required: "The person has to do something first, such as confirm an email address",
  login_required: "The person has to log in",
  temporarily_unavailable: "Too many requests for this person, try again later",
};
