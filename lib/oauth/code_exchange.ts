import * as oauth from "oauth4webapi";
import { IdpError } from "../errors.ts";
import type { IdpIdentity, SignInResponse } from "../services.ts";
import { openIdIdentity, plainIdentity } from "./provider_profile.ts";

/** What goes with every request to the provider. */
export interface RequestOptions {
  signal: AbortSignal;
  [oauth.allowInsecureRequests]: boolean;
  [oauth.customFetch]: (url: string, init: RequestInit) => Promise<Response>;
}

/** The two sides, and how one asks the other. */
export interface Exchange {
  server: oauth.AuthorizationServer;
  client: oauth.Client;
  authentication: oauth.ClientAuth;
  /** The operator vouches for addresses on which the provider is silent. */
  trustEmail: boolean;
  options: RequestOptions;
}

/**
 * The person of an OpenID Connect sign-in: issuer, audience, expiry, nonce and signature of the ID token are checked,
 * and userinfo must speak of the same subject.
 */
export async function exchangeAtOpenId(exchange: Exchange, response: SignInResponse): Promise<IdpIdentity> {
  const { server, client, trustEmail, options } = exchange;
  // Without one to expect, an ID token without nonce would pass.
  if (!response.attempt.nonce) throw new IdpError("idp_failed", "The nonce of the sign-in is missing");
  const parameters = oauth.validateAuthResponse(server, client, response.parameters, response.attempt.state);
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
    await oauth.userInfoRequest(server, client, tokens.access_token, options),
  );
  return openIdIdentity(server.issuer, { claims, userinfo, trustEmail });
}

/** Source: OpenID Connect Core 1.0, 10.1.1: a key that we do not know is looked for at the provider. */
async function validateSignature({ server, options }: Exchange, answer: Response): Promise<void> {
  try {
    await oauth.validateApplicationLevelSignature(server, answer, options);
  } catch (error) {
    if (!(error instanceof oauth.OperationProcessingError && error.code === oauth.KEY_SELECTION)) throw error;
    // Of the same metadata the library keeps the keys for a minute, whatever it is asked for.
    await oauth.validateApplicationLevelSignature({ ...server }, answer, options);
  }
}

/** The person of a plain OAuth 2.0 sign-in, as userinfo tells it. */
export async function exchangeAtPlain(exchange: Exchange, response: SignInResponse): Promise<IdpIdentity> {
  const { server, client, trustEmail, options } = exchange;
  // One that speaks OpenID Connect too says who it is, here and in an ID token: we have no issuer to compare with.
  const received = new URLSearchParams(response.parameters);
  received.delete("iss");
  const parameters = oauth.validateAuthResponse(server, client, received, response.attempt.state);
  const answer = await withoutIdToken(await redeemCode(exchange, parameters, response));
  const tokens = await oauth.processAuthorizationCodeResponse(server, client, answer);
  const profile = await oauth.userInfoRequest(server, client, tokens.access_token, options);
  if (!profile.ok) throw new IdpError("idp_failed", `Cannot read the profile: the provider answered ${profile.status}`);
  return plainIdentity(server.issuer, await readObject(profile), trustEmail);
}

function redeemCode(
  { server, client, authentication, options }: Exchange,
  parameters: URLSearchParams,
  { redirectUri, attempt }: SignInResponse,
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

async function withoutIdToken(response: Response): Promise<Response> {
  if (!response.ok) return response;
  const { id_token: _unused, ...tokens } = await readObject(response);
  return Response.json(tokens);
}

/** The parser's own error would quote the body, which may be a token. */
async function readObject(response: Response): Promise<Record<string, unknown>> {
  const value = await response.json().catch(() => null);
  if (typeof value === "object" && value !== null) return value;
  throw new IdpError("idp_failed", "Cannot read the provider's answer: it is no JSON object");
}
