import * as oauth from "oauth4webapi";
import type { Config } from "../config/config.ts";
import { signJwt } from "../crypto/jwt.ts";
import { HOUR_SECONDS, MINUTE_SECONDS, SECOND_MS, secondsAfter, unixSeconds } from "../duration.ts";
import { IdpError } from "../errors/errors.ts";
import { OutageError } from "../log/log.ts";
import { isConfidential } from "../network/loopback.ts";
import { type ProviderSettings, redirectUriOf } from "../config/provider_settings.ts";
import type { IdentityProvider, SignInAttempt } from "../services/identity_provider.ts";
import { exchangeOpenIdCode, exchangePlainCode, type RequestOptions, UnusableResponse } from "./code_exchange.ts";
import { providerFetch } from "./provider_fetch.ts";
import { hintOf } from "./provider_hint.ts";
import { isErrorCode, type ProviderTrace, traced } from "./provider_trace.ts";

/** Starting a sign-in takes at most 5 seconds (discovery). Finishing one takes at most 10 (discovery and exchange). */
const DISCOVERY_MS = 4 * SECOND_MS;
const EXCHANGE_MS = 5 * SECOND_MS;
/** Tolerated difference between the provider's clock and ours. */
const CLOCK_TOLERANCE_SECONDS = 30;

interface IdentityProviderOptions {
  settings: ProviderSettings;
  /** The address of our callback. The provider must have registered exactly this one. */
  redirectUri: string;
  isProduction: boolean;
  now(): Date;
}

type SecretKey = NonNullable<ProviderSettings["secretKey"]>;

/** Creates the configured identity providers, by their keys. */
export function createIdentityProviders(
  { providers, baseUrl, isProduction }: Pick<Config, "providers" | "baseUrl" | "isProduction">,
  now: () => Date,
): ReadonlyMap<string, IdentityProvider> {
  return new Map(providers.map((settings) => {
    const redirectUri = redirectUriOf(baseUrl, settings.key);
    return [settings.key, createIdentityProvider({ settings, redirectUri, isProduction, now })];
  }));
}

/** Sign-in by the authorization code flow, through OpenID Connect or plain OAuth 2.0, with PKCE where there is one. */
function createIdentityProvider(
  { settings, redirectUri, isProduction, now }: IdentityProviderOptions,
): IdentityProvider {
  const { issuer, clientId } = settings;
  const client: oauth.Client = { client_id: clientId, [oauth.clockTolerance]: CLOCK_TOLERANCE_SECONDS };
  const fetch = providerFetch({ isProduction });
  const request = (milliseconds: number, trace: ProviderTrace): RequestOptions => ({
    signal: AbortSignal.timeout(milliseconds),
    [oauth.allowInsecureRequests]: !isProduction,
    [oauth.customFetch]: traced(fetch, trace),
  });
  const failed = (error: unknown, trace: ProviderTrace) => safeToLog(error, { trace, settings, redirectUri });
  const metadata = issuer === undefined ? staticMetadata(settings) : discovery(new URL(issuer), {
    request: (trace) => request(DISCOVERY_MS, trace),
    failed,
    now,
  });
  const exchange = issuer === undefined ? exchangePlainCode : exchangeOpenIdCode;

  function consentScreen({ authorization_endpoint: address }: oauth.AuthorizationServer): URL {
    if (URL.canParse(address ?? "") && isConfidential(address!, { isProduction })) return new URL(address!);
    throw new Error(`Cannot send people to the provider: ${address}`);
  }

  function fail(error: unknown, trace: ProviderTrace): never {
    // Endpoints or keys may be outdated, but not if the provider refused the request or was not called.
    if (!isRefusal(error) && !(error instanceof UnusableResponse)) metadata.forget();
    throw failed(error, trace);
  }

  return {
    postsAnswer: settings.oddities?.postsAnswer ?? false,

    async startSignIn({ loginHint, state } = {}) {
      const trace: ProviderTrace = {
        step: "discovery",
        last: { host: new URL(issuer ?? settings.endpoints!.authUrl).host },
      };
      const url = await metadata.get().then(consentScreen).catch((error) => fail(error, trace));
      const attempt = newAttempt({ hasNonce: issuer !== undefined, state });
      const parameters = await authorizationRequest(attempt, { settings, redirectUri, loginHint });
      for (const [name, value] of parameters) url.searchParams.set(name, value);
      return { url: url.href, attempt };
    },

    async finishSignIn(response) {
      const trace: ProviderTrace = { last: {} };
      try {
        const server = await metadata.get();
        const authentication = clientAuthentication(server, settings, now);
        const options = request(EXCHANGE_MS, trace);
        return await exchange({ settings, server, client, authentication, redirectUri, options, trace }, response);
      } catch (error) {
        return fail(error, trace);
      }
    },
  };
}

function newAttempt(
  { hasNonce, state = oauth.generateRandomState() }: { hasNonce: boolean; state?: string },
): SignInAttempt {
  return {
    state,
    codeVerifier: oauth.generateRandomCodeVerifier(),
    nonce: hasNonce ? oauth.generateRandomNonce() : null,
  };
}

async function authorizationRequest(
  { state, codeVerifier, nonce }: SignInAttempt,
  { settings, redirectUri, loginHint }: { settings: ProviderSettings; redirectUri: string; loginHint?: string },
): Promise<URLSearchParams> {
  return new URLSearchParams({
    response_type: "code",
    client_id: settings.clientId,
    redirect_uri: redirectUri,
    scope: settings.scopes,
    state,
    ...(nonce === null ? {} : { nonce }),
    ...settings.oddities?.postsAnswer ? { response_mode: "form_post" } : {},
    ...(loginHint === undefined ? {} : { login_hint: loginHint }),
    ...settings.oddities?.lacksPkce ? {} : {
      code_challenge: await oauth.calculatePKCECodeChallenge(codeVerifier),
      code_challenge_method: "S256",
    },
  });
}

/** Providers accept Basic by default. Source: OpenID Connect Discovery 1.0, 3. */
function clientAuthentication(
  server: oauth.AuthorizationServer,
  { clientSecret: secret, secretKey }: ProviderSettings,
  now: () => Date,
): oauth.ClientAuth {
  if (secretKey !== undefined) return signedSecret(secretKey, now);
  if (secret === undefined) return oauth.None();
  const { token_endpoint_auth_methods_supported: methods = ["client_secret_basic"] } = server;
  return methods.includes("client_secret_basic") ? basicAuthentication(secret) : oauth.ClientSecretPost(secret);
}

/** What Apple's client secrets are for, wherever they are sent. */
const APPLE = "https://appleid.apple.com";
const SECRET_SECONDS = 5 * MINUTE_SECONDS;

/** Signs a client secret for this request alone. Source: developer.apple.com, "Creating a client secret". */
function signedSecret({ teamId, keyId, privateKey }: SecretKey, now: () => Date): oauth.ClientAuth {
  return async (_server, { client_id: clientId }, body) => {
    const iat = unixSeconds(now());
    const claims = { iss: teamId, sub: clientId, aud: APPLE, iat, exp: iat + SECRET_SECONDS };
    body.set("client_id", clientId);
    body.set("client_secret", await signJwt(claims, { id: keyId, algorithm: "ES256", privateKey }));
  };
}

/**
 * Encodes only what must be: the library also encodes hyphens and underscores, which many ids and secrets have. Not
 * every provider decodes them.
 */
function basicAuthentication(secret: string): oauth.ClientAuth {
  return (_server, { client_id: clientId }, _body, headers) => {
    headers.set("authorization", `Basic ${btoa(`${encodeURIComponent(clientId)}:${encodeURIComponent(secret)}`)}`);
  };
}

/**
 * Static provider metadata. The userinfo URL serves as the issuer: ids are unique there. Not the query of a preset's,
 * which only says which fields to send and may change.
 */
function staticMetadata({ endpoints, oddities }: ProviderSettings): Discovery {
  const { authUrl, tokenUrl, userinfoUrl } = endpoints!;
  const server: oauth.AuthorizationServer = {
    issuer: oddities === undefined ? userinfoUrl : userinfoUrl.split("?")[0],
    authorization_endpoint: authUrl,
    token_endpoint: tokenUrl,
    userinfo_endpoint: userinfoUrl,
    ...oddities?.hasSecretInBody ? { token_endpoint_auth_methods_supported: ["client_secret_post"] } : {},
  };
  return { get: () => Promise.resolve(server), forget() {} };
}

type Refusal = oauth.ResponseBodyError | oauth.AuthorizationResponseError;

/**
 * Whether the provider responded with an error. Anyone can forge one by opening the callback with an error in its
 * query.
 */
function isRefusal(error: unknown): error is Refusal {
  return error instanceof oauth.ResponseBodyError || error instanceof oauth.AuthorizationResponseError;
}

/** Returns an error that is safe to log. The cause is left out, because it contains codes and tokens. */
function safeToLog(
  error: unknown,
  { trace, settings, redirectUri }: { trace: ProviderTrace; settings: ProviderSettings; redirectUri: string },
): IdpError {
  if (error instanceof UnusableResponse || (error instanceof IdpError && error.failure !== undefined)) return error;
  const code = isRefusal(error) && isErrorCode(error.error) ? error.error : undefined;
  const known = { provider: settings.key, step: trace.step, error: code, ...trace.last };
  const failure = { ...known, hint: hintOf(known, { settings, redirectUri }) };
  if (error instanceof IdpError) return new IdpError(error.refusal, error.message, failure);
  if (error instanceof OutageError) return new IdpError("idp_failed", error.message, failure);
  const { name, message } = error instanceof Error ? error : { name: "Error", message: String(error) };
  return new IdpError("idp_failed", `${name}: ${message}${code === undefined ? "" : `: ${code}`}`, failure);
}

/** A provider's metadata, cached for an hour. */
export interface Discovery {
  /** Returns the metadata. Concurrent callers share one request. */
  get(): Promise<oauth.AuthorizationServer>;
  /** Makes the next call fetch the metadata and the keys again. */
  forget(): void;
}

interface DiscoveryOptions {
  request(trace: ProviderTrace): oauth.DiscoveryRequestOptions;
  /** Returns the error to throw. */
  failed(error: unknown, trace: ProviderTrace): Error;
  now(): Date;
}

const MAX_AGE_SECONDS = HOUR_SECONDS;

/** Fetches the metadata on demand, so that Foyer can start while the provider is down. Failures are not cached. */
export function discovery(
  issuer: URL,
  { request, failed, now }: DiscoveryOptions,
): Discovery {
  let current: { server: Promise<oauth.AuthorizationServer>; staleAt: Date } | null = null;
  const forget = () => current = null;
  return {
    get() {
      if (current !== null && now() < current.staleAt) return current.server;
      const trace: ProviderTrace = { step: "discovery", last: {} };
      // Everyone who waits for this request gets its error.
      const server = discover(issuer, request(trace)).catch((error) => Promise.reject(failed(error, trace)));
      server.catch(forget);
      current = { server, staleAt: secondsAfter(now(), MAX_AGE_SECONDS) };
      return server;
    },
    forget,
  };
}

async function discover(issuer: URL, options: oauth.DiscoveryRequestOptions): Promise<oauth.AuthorizationServer> {
  return await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, options));
}
