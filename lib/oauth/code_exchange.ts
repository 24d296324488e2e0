import * as oauth from "oauth4webapi";
import { IdpError } from "../errors.ts";
import type { IdpIdentity, SignInResponse } from "../services.ts";
import { openIdIdentity, plainIdentity } from "./provider_profile.ts";

/** Options of every request to the provider. */
export interface RequestOptions {
  signal: AbortSignal;
  [oauth.allowInsecureRequests]: boolean;
  [oauth.customFetch]: (url: string, init: RequestInit) => Promise<Response>;
}

/** The response in the browser's request is wrong. Anyone can forge one, so it says nothing about the provider. */
export class UnusableResponse extends IdpError {
  override name = "UnusableResponse";
}

/** The provider, the client and the options of a code exchange. */
export interface Exchange {
  server: oauth.AuthorizationServer;
  client: oauth.Client;
  authentication: oauth.ClientAuth;
  redirectUri: string;
  /** Whether to trust addresses if the provider does not say whether they are verified. */
  trustEmail: boolean;
  options: RequestOptions;
}

/**
 * Exchanges the code of an OpenID Connect sign-in for an identity. Checks the issuer, audience, expiry, nonce and signature
 * of the ID token, and that userinfo has the same subject.
 */
export async function exchangeOpenIdCode(exchange: Exchange, response: SignInResponse): Promise<IdpIdentity> {
  const { server, client, trustEmail } = exchange;
  // Without an expected nonce, the library would accept an ID token that has none.
  if (!response.attempt.nonce) throw new UnusableResponse("idp_failed", "The nonce of the sign-in is missing");
  const parameters = checkResponse(exchange, response);
  const answer = await redeemCode(exchange, parameters, response);
  const tokens = await oauth.processAuthorizationCodeResponse(server, client, answer, {
    expectedNonce: response.attempt.nonce,
    requireIdToken: true,
  });
  await validateSignature(exchange, answer);
  const claims = oauth.getValidatedIdTokenClaims(tokens)!;
  const userinfo = server.userinfo_endpoint === undefined ? {} : await oauth.processUserInfoResponse(
    server,
    client,
    claims.sub,
    await requestUserinfo(exchange, tokens.access_token),
  );
  return openIdIdentity(server.issuer, { claims, userinfo, trustEmail });
}

/** Fetches the keys again if the token names an unknown key. Source: OpenID Connect Core 1.0, 10.1.1. */
async function validateSignature({ server, options }: Exchange, answer: Response): Promise<void> {
  try {
    await oauth.validateApplicationLevelSignature(server, answer, options);
  } catch (error) {
    if (!(error instanceof oauth.OperationProcessingError && error.code === oauth.KEY_SELECTION)) throw error;
    // The library caches the keys for a minute per metadata object, so a copy makes it fetch them.
    await oauth.validateApplicationLevelSignature({ ...server }, answer, options);
  }
}

/** Exchanges the code of a plain OAuth 2.0 sign-in for the identity in userinfo. */
export async function exchangePlainCode(exchange: Exchange, response: SignInResponse): Promise<IdpIdentity> {
  const { server, client, trustEmail } = exchange;
  // A provider that also supports OpenID Connect sends its issuer and an ID token. They are dropped, because no issuer is
  // configured to compare them with.
  const received = new URLSearchParams(response.parameters);
  received.delete("iss");
  const parameters = checkResponse(exchange, { ...response, parameters: received });
  const answer = await withoutIdToken(await redeemCode(exchange, parameters, response));
  const tokens = await oauth.processAuthorizationCodeResponse(server, client, answer);
  const profile = await requestUserinfo(exchange, tokens.access_token);
  if (!profile.ok) {
    throw new IdpError("idp_failed", `Cannot read the profile: the provider responded with ${profile.status}`);
  }
  return plainIdentity(server.issuer, await readObject(profile), trustEmail);
}

/** Passes on an error response of the provider unchanged. */
function checkResponse({ server, client }: Exchange, { parameters, attempt }: SignInResponse): URLSearchParams {
  try {
    return oauth.validateAuthResponse(server, client, parameters, attempt.state);
  } catch (error) {
    if (!(error instanceof oauth.OperationProcessingError)) throw error;
    throw new UnusableResponse("idp_failed", `${error.name}: ${error.message}`);
  }
}

function redeemCode(
  { server, client, authentication, redirectUri, options }: Exchange,
  parameters: URLSearchParams,
  { attempt }: SignInResponse,
): Promise<Response> {
  return oauth.authorizationCodeGrantRequest(
    server,
    client,
    authentication,
    parameters,
    redirectUri,
    attempt.codeVerifier,
    options,
  );
}

/** Checks the token first: the error for a value that no header can hold would quote it. Source: RFC 6749, A.12. */
async function requestUserinfo({ server, client, options }: Exchange, accessToken: string): Promise<Response> {
  if (!/^[ -~]+$/.test(accessToken)) throw new IdpError("idp_failed", "The provider sent a malformed access token");
  return await oauth.userInfoRequest(server, client, accessToken, options);
}

async function withoutIdToken(response: Response): Promise<Response> {
  if (!response.ok) return response;
  const { id_token: _unused, ...tokens } = await readObject(response);
  return Response.json(tokens);
}

/** Hides the parser's error, which would quote the body and so perhaps a token. */
async function readObject(response: Response): Promise<Record<string, unknown>> {
  const value = await response.json().catch(() => null);
  if (typeof value === "object" && value !== null) return value;
  throw new IdpError("idp_failed", "Cannot read the provider's response: it is not a JSON object");
}
