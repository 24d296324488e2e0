import { AppError } from "../../errors/errors.ts";
import { errorInEnglish } from "../../http/error_english.ts";
import { parseFormPairs } from "../../http/text_body.ts";
import { invalidRequest } from "../../authorization_server/tokens/oauth_error.ts";

/** The parameters of a request. Those without a value count as left out. Source: RFC 6749, 3.2. */
export interface OAuthForm {
  /** Returns a parameter; undefined if it was left out. */
  get(name: string): string | undefined;
  /** The values of `resource`, which may be repeated. Source: RFC 8707, 2. */
  resources: string[];
}

const REPEATABLE = "resource";

/**
 * Reads the form of a request.
 *
 * @throws {OAuthError} invalid_request for another content type, a body that is too large or malformed, and a parameter
 * that comes twice.
 */
export async function readOAuthForm(req: Request): Promise<OAuthForm> {
  const pairs = await parseFormPairs(req).catch((error) => {
    throw error instanceof AppError && error.code !== "UNAVAILABLE" ? malformed(error) : error;
  });
  const fields = new Map<string, string>();
  const resources: string[] = [];
  for (const [name, value] of pairs) {
    if (name === REPEATABLE) {
      if (value !== "") resources.push(value);
      continue;
    }
    if (fields.has(name)) throw invalidRequest("A parameter is repeated");
    fields.set(name, value);
  }
  return { get: (name) => fields.get(name) || undefined, resources };
}

function malformed(error: AppError) {
  if (error.is("UNSUPPORTED_MEDIA_TYPE")) {
    return invalidRequest(errorInEnglish(error));
  }
  return invalidRequest(error.is("PAYLOAD_TOO_LARGE") ? "The body is too large" : "The body is malformed");
}
