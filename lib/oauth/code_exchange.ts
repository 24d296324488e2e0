import * as oauth from "oauth4webapi";
import { IdpError } from "../errors/errors.ts";
import type { IdpIdentity, SignInResponse } from "../services/identity_provider.ts";
import type { ProviderSettings } from "../config/provider_settings.ts";
import type { ProviderTrace } from "./provider_trace.ts";
import { githubEmailHint } from "./provider_hint.ts";
import { githubIdentity, openIdIdentity, plainIdentity } from "./provider_profile.ts";

const TOO_MANY_REQUESTS = 429;

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
  settings: ProviderSettings;
  server: oauth.AuthorizationServer;
  client: oauth.Client;
  authentication: oauth.ClientAuth;
  redirectUri: string;
  options: RequestOptions;
  trace: ProviderTrace;
}

/**
 * Exchanges the code of an OpenID Connect sign-in for an identity. Checks the issuer, audience, expiry, nonce and
 * signature of the ID token, and that userinfo has the same subject.
 */
export async function exchangeOpenIdCode(exchange: Exchange, response: SignInResponse): Promise<IdpIdentity> {
  const { settings, server, client } = exchange;
  // Without an expected nonce, the library would accept an ID token that has none.
  if (!response.attempt.nonce) throw new UnusableResponse("idp_failed", "The nonce of the sign-in is missing");
  const parameters = checkResponse(exchange, response);
  const answer = await redeemCode(exchange, parameters, response);
  if (await hasTokens(answer)) exchange.trace.step = "id_token";
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
  return openIdIdentity(server.issuer, { claims, userinfo, settings });
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
  const { settings, server, client } = exchange;
  const received = withoutOwnIssuer(server, response.parameters);
  const parameters = checkResponse(exchange, { ...response, parameters: received });
  // A provider that also supports OpenID Connect sends an ID token. No issuer is configured to compare it with.
  const answer = await withoutIdToken(await redeemCode(exchange, parameters, response));
  const tokens = await oauth.processAuthorizationCodeResponse(server, client, answer);
  const profile = await readProfile(await requestUserinfo(exchange, tokens.access_token));
  if (settings.rules !== "github") return plainIdentity(server.issuer, { profile, settings });
  const emails = await readGithubEmails(exchange, tokens.access_token);
  return githubIdentity(server.issuer, { profile, emails, settings });
}

/**
 * Removes the issuer from a response. No issuer is configured to compare it with, so it must be at the origin of one of
 * the provider's endpoints: otherwise the response may be another provider's. Source: RFC 9207, 2.4.
 */
function withoutOwnIssuer(server: oauth.AuthorizationServer, parameters: URLSearchParams): URLSearchParams {
  const { authorization_endpoint, token_endpoint, userinfo_endpoint } = server;
  const origins = [authorization_endpoint, token_endpoint, userinfo_endpoint].map((url) => new URL(url!).origin);
  const [issuer, ...others] = parameters.getAll("iss");
  if (others.length > 0 || (issuer !== undefined && !origins.includes(URL.parse(issuer)?.origin ?? ""))) {
    throw new UnusableResponse("idp_failed", "The response is of another issuer");
  }
  const rest = new URLSearchParams(parameters);
  rest.delete("iss");
  return rest;
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

/** Whether the provider has accepted the code. Then only the ID token can be wrong. */
async function hasTokens(answer: Response): Promise<boolean> {
  const body = await readJson(answer.clone());
  return answer.ok && typeof (body as { access_token?: unknown } | null)?.access_token === "string";
}

function redeemCode(
  { settings, server, client, authentication, redirectUri, options, trace }: Exchange,
  parameters: URLSearchParams,
  { attempt }: SignInResponse,
): Promise<Response> {
  trace.step = "token";
  return oauth.authorizationCodeGrantRequest(
    server,
    client,
    authentication,
    parameters,
    redirectUri,
    settings.oddities?.lacksPkce ? oauth.nopkce : attempt.codeVerifier,
    options,
  );
}

async function requestUserinfo(exchange: Exchange, accessToken: string): Promise<Response> {
  const { server, client, options, trace } = exchange;
  checkAccessToken(accessToken);
  trace.step = "userinfo";
  return await oauth.userInfoRequest(server, client, accessToken, options);
}

/**
 * Reads the person's addresses at GitHub: the profile has no private ones, and does not say which are verified. Source:
 * GitHub REST API, "List email addresses for the authenticated user".
 *
 * @throws {IdpError} idp_email_withheld without the permission for it.
 */
async function readGithubEmails(exchange: Exchange, accessToken: string): Promise<unknown> {
  const url = new URL(exchange.server.userinfo_endpoint!);
  url.pathname += "/emails";
  const server = { ...exchange.server, userinfo_endpoint: url.href };
  const response = await requestUserinfo({ ...exchange, server }, accessToken);
  if (response.status >= 500 || response.status === TOO_MANY_REQUESTS) throw unreadable(response);
  if (response.ok) return await readJson(response);
  const { settings: { key }, trace } = exchange;
  const failure = { provider: key, step: trace.step, ...trace.last, hint: githubEmailHint(key) };
  throw new IdpError("idp_email_withheld", "GitHub does not give the person's email addresses", failure);
}

/** The error for a value that no header can hold would quote it. Source: RFC 6749, A.12. */
function checkAccessToken(accessToken: string): void {
  if (!/^[ -~]+$/.test(accessToken)) throw new IdpError("idp_failed", "The provider sent a malformed access token");
}

async function withoutIdToken(response: Response): Promise<Response> {
  if (!response.ok) return response;
  const { id_token: _unused, ...tokens } = objectIn(await readJson(response));
  return Response.json(tokens);
}

async function readProfile(response: Response): Promise<Record<string, unknown>> {
  if (!response.ok) throw unreadable(response);
  return objectIn(await readJson(response));
}

function unreadable({ status }: Response): IdpError {
  return new IdpError("idp_failed", `Cannot read the profile: the provider responded with ${status}`);
}

/** Hides the parser's error, which would quote the body and so perhaps a token. */
async function readJson(response: Response): Promise<unknown> {
  return await response.json().catch(() => null);
}

function objectIn(value: unknown): Record<string, unknown> {
  if (typeof value === "object" && value !== null) return value as Record<string, unknown>;
  throw new IdpError("idp_failed", "Cannot read the provider's response: it is not a JSON object");
}
