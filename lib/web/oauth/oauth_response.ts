import type { Context } from "fresh";
import { OAuthError } from "../../authorization_server/tokens/oauth_error.ts";
import type { AppError } from "../../errors/errors.ts";
import { errorHeaders } from "../../http/error_body.ts";
import { bearerToken, hasBearer } from "../../http/bearer_token.ts";
import type { State } from "../state.ts";

const TOKEN_ENDPOINTS = ["token", "userinfo", "revoke", "introspect", "device_authorization"].map((name) =>
  `/oauth/${name}`
);
/** Source: RFC 6749, 5.1. */
const NO_STORE = { "Cache-Control": "no-store", "Pragma": "no-cache" };
const USERINFO = "/oauth/userinfo";

/** Whether a path is a route that apps call. Cookies, API tokens and origins mean nothing there. */
export function isTokenEndpoint(pathname: string): boolean {
  return TOKEN_ENDPOINTS.includes(pathname);
}

/** A response with a JSON body, or an empty one. Some libraries refuse a response without a content type. */
export function oauthResponse(body: object | null): Response {
  return body === null
    ? new Response("", { headers: { ...NO_STORE, "Content-Type": "text/plain; charset=utf-8" } })
    : Response.json(body, { headers: NO_STORE });
}

/**
 * The response of a token endpoint to an error, in the form of OAuth. Null for one that has another form: a path that
 * is switched off, or a method that it does not support.
 */
export function oauthErrorResponse({ url }: Context<State>, error: AppError | OAuthError): Response | null {
  if (error instanceof OAuthError) {
    const { code, status, description } = error;
    return errorResponse({ code, description, status, headers: challengeOf(url, error) });
  }
  if (error.is("NOT_FOUND") || error.is("METHOD_NOT_ALLOWED")) return null;
  const headers = errorHeaders(error);
  if (error.status < 429) {
    return errorResponse({ code: "invalid_request", description: "The request is malformed", status: 400 });
  }
  return error.status === 500
    ? errorResponse({ code: "server_error", description: "Internal error", status: 500, headers })
    : errorResponse({ code: "temporarily_unavailable", description: "Try again later", status: error.status, headers });
}

function errorResponse(
  { code, description, status, headers = {} }: {
    code: string;
    description: string;
    status: number;
    headers?: Record<string, string>;
  },
): Response {
  const body = { error: code, error_description: description };
  return Response.json(body, { status, headers: { ...headers, ...NO_STORE } });
}

/** Source: RFC 6749, 5.2; RFC 6750, 3. */
function challengeOf({ pathname }: URL, { code, description }: OAuthError): Record<string, string> {
  if (code === "invalid_client") return { "WWW-Authenticate": 'Basic realm="clients", charset="UTF-8"' };
  if (pathname !== USERINFO || (code !== "invalid_token" && code !== "insufficient_scope")) return {};
  const scope = code === "insufficient_scope" ? ', scope="openid"' : "";
  return { "WWW-Authenticate": `Bearer error="${code}", error_description="${description}"${scope}` };
}

/** Returns the access token in the header of a request. The body and the query may not have one. */
export function presentedAccessToken(req: Request): string {
  if (!hasBearer(req)) throw new OAuthError("invalid_token", "no access token");
  return bearerToken(req);
}
