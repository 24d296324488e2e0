import { Email } from "../../schemas/user.ts";
import { OWN_SCOPES } from "../../clients/own_scopes.ts";
import type { RegisteredClient, Registrations, Resource } from "../../config/registered_client.ts";
import { namedResource } from "../resource_uri.ts";
import { errorAddress, RefusedRequest } from "./authorize_error.ts";
import { isRegistered, type ReturnAddress } from "./redirect_uri.ts";

/**
 * The query of /oauth/authorize, judged without looking at who sends it. Source: RFC 6749, 4.1.1; OpenID Connect Core,
 * 3.1.2.
 */

/** The longest query. */
export const QUERY_MAX = 4096;
const NONCE_MAX = 512;
const PROMPTS = ["none", "login", "consent", "select_account", "create"] as const;
export type Prompt = typeof PROMPTS[number];

/** What an app asks for, if it may ask for it. */
export interface AuthorizeRequest extends ReturnAddress {
  client: RegisteredClient;
  /** Only scopes that the client may get. */
  scopes: string[];
  resource: Resource | null;
  codeChallenge: string | null;
  nonce: string | null;
  prompts: Prompt[];
  /** How old the last proof of the person may be; 0 asks for a new one. */
  maxAgeSeconds: number | null;
  /** Whether the app asks for a sign-in with a second factor. */
  asksForSecondFactor: boolean;
  /** The address that fills the login form. */
  loginHint: string | null;
  idTokenHint: string | null;
  /** Language tags, the preferred one first. */
  languages: string[];
}

/** Why the browser must not be sent anywhere: nothing says that the address in the request is the app's. */
export type Distrust = "query" | "client" | "document" | "guest" | "redirectUri";

export type Judgment =
  | { kind: "untrusted"; reason: Distrust }
  | { kind: "refused"; client: RegisteredClient; address: string }
  | { kind: "accepted"; request: AuthorizeRequest };

/** Returns which app has sent a query, and what it recognizes the answer by. */
export function senderOf(query: string): { clientId: string; state: string | null } {
  const parameters = new URLSearchParams(query.slice(0, QUERY_MAX));
  return { clientId: single(parameters, "client_id") ?? "", state: stateOf(parameters) };
}

/** Judges the query of a client, without its question mark. */
export function judgeRequest(
  query: string,
  { client, registrations, issuer }: {
    client: RegisteredClient | null;
    registrations: Registrations;
    issuer: string;
  },
): Judgment {
  if (query.length > QUERY_MAX) return { kind: "untrusted", reason: "query" };
  const parameters = new URLSearchParams(query);
  if (client === null) return { kind: "untrusted", reason: "client" };
  const redirectUri = single(parameters, "redirect_uri");
  if (redirectUri === null || !isRegistered(redirectUri, client)) return { kind: "untrusted", reason: "redirectUri" };
  const target = { redirectUri, state: stateOf(parameters) };
  try {
    return { kind: "accepted", request: { ...target, client, ...readRequest(parameters, client, registrations) } };
  } catch (error) {
    if (!(error instanceof RefusedRequest)) throw error;
    return { kind: "refused", client, address: errorAddress(target, { error: error.error, issuer }, error.message) };
  }
}

/**
 * Returns the value of a parameter that was sent once; null otherwise. Source: RFC 6749, 3.1: an empty one counts as
 * left out.
 */
function single(parameters: URLSearchParams, name: string): string | null {
  const [value, ...others] = parameters.getAll(name);
  return others.length > 0 || !value ? null : value;
}

/** Replaces bytes that are not UTF-8, so a value that contains it cannot be returned unchanged. */
const REPLACEMENT = "\uFFFD";

function stateOf(parameters: URLSearchParams): string | null {
  const state = single(parameters, "state");
  return state?.includes(REPLACEMENT) ? null : state;
}

function readRequest(
  parameters: URLSearchParams,
  client: RegisteredClient,
  registrations: Registrations,
): Omit<AuthorizeRequest, keyof ReturnAddress | "client"> {
  checkForm(parameters, client);
  const asked = { scope: single(parameters, "scope"), resources: parameters.getAll("resource") };
  const prompts = readPrompts(single(parameters, "prompt") ?? "");
  return {
    ...readAccess(asked, { client, registrations }),
    codeChallenge: readChallenge(parameters, client),
    nonce: readNonce(single(parameters, "nonce")),
    prompts,
    maxAgeSeconds: prompts.includes("login") ? 0 : readMaxAge(single(parameters, "max_age")),
    asksForSecondFactor: asksForSecondFactor(single(parameters, "acr_values") ?? ""),
    loginHint: Email.safeParse(single(parameters, "login_hint")).data ?? null,
    idTokenHint: single(parameters, "id_token_hint"),
    languages: wordsOf(single(parameters, "ui_locales") ?? ""),
  };
}

/** Parameters of other ways to send a request, which this service does not accept. */
const NOT_SUPPORTED = {
  request: "request_not_supported",
  request_uri: "request_uri_not_supported",
  registration: "registration_not_supported",
} as const;

function checkForm(parameters: URLSearchParams, { grantTypes }: RegisteredClient): void {
  const names = [...parameters.keys()].filter((name) => name !== "resource");
  refuseIf(new Set(names).size < names.length, "A parameter is repeated");
  refuseIf((single(parameters, "state") ?? "").includes(REPLACEMENT), "state is not UTF-8");
  for (const [name, error] of Object.entries(NOT_SUPPORTED)) {
    if (single(parameters, name) !== null) throw new RefusedRequest(error, `${name} is not supported`);
  }
  const responseType = single(parameters, "response_type")?.trim() ?? null;
  refuseIf(responseType === null, "response_type is missing");
  if (responseType !== "code") throw new RefusedRequest("unsupported_response_type", "response_type must be code");
  refuseIf((single(parameters, "response_mode") ?? "query") !== "query", "response_mode must be query");
  if (!grantTypes.includes("authorization_code")) {
    throw new RefusedRequest("unauthorized_client", "The client may not use codes");
  }
}

/** @throws {RefusedRequest} invalid_request. */
function refuseIf(isWrong: boolean, description: string): void {
  if (isWrong) throw new RefusedRequest("invalid_request", description);
}

/** What an app asks for, if it may ask for it. */
export type AskedAccess = Pick<AuthorizeRequest, "scopes" | "resource">;

/**
 * Reads what an app asks for.
 *
 * @throws {RefusedRequest} invalid_scope, invalid_target.
 */
export function readAccess(
  { scope, resources }: { scope: string | null; resources: string[] },
  { client, registrations }: { client: RegisteredClient; registrations: Registrations },
): AskedAccess {
  const resource = readResource(resources, client, registrations);
  return { scopes: readScopes(scope, { client, resource }), resource };
}

/** Source: RFC 8707, 2. */
function readResource(
  values: string[],
  client: RegisteredClient,
  { resources }: Registrations,
): Resource | null {
  const [uri, ...others] = new Set(values.filter((value) => value !== ""));
  if (others.length > 0) throw new RefusedRequest("invalid_target", "Only one resource may be requested");
  if (uri === undefined) return null;
  const known = namedResource(uri, client.resources);
  const resource = client.resources.includes(known) ? resources.get(known) : undefined;
  if (resource === undefined) throw new RefusedRequest("invalid_target", "The client may not use this resource");
  return resource;
}

function readScopes(scope: string | null, context: Pick<AuthorizeRequest, "client" | "resource">): string[] {
  const { resource } = context;
  const asked = scope === null ? resource?.defaultScopes ?? ["openid"] : wordsOf(scope);
  const scopes = [...new Set(asked)].filter((each) => mayAskFor(each, context));
  // Some resources have no scopes: an access token for one names only its audience.
  if (scopes.length > 0 || (scope === null && resource !== null)) return scopes;
  throw new RefusedRequest("invalid_scope", "The client may not ask for any of these scopes");
}

/** A scope is the service's own, or one of the requested resource. Those of another resource mean nothing there. */
function mayAskFor(scope: string, { client, resource }: Pick<AuthorizeRequest, "client" | "resource">): boolean {
  return client.scopes.includes(scope) && (OWN_SCOPES.includes(scope) || resource?.scopes.has(scope) === true);
}

function readPrompts(prompt: string): Prompt[] {
  const prompts = wordsOf(prompt);
  refuseIf(!prompts.every(isPrompt), "prompt has an unknown value");
  refuseIf(prompts.includes("none") && prompts.length > 1, "prompt=none excludes all other values");
  return prompts.filter(isPrompt);
}

function isPrompt(word: string): word is Prompt {
  return PROMPTS.some((prompt) => prompt === word);
}

/** Source: RFC 7636, 4.3. */
function readChallenge(parameters: URLSearchParams, { requiresPkce }: RegisteredClient): string | null {
  // Some libraries pad base64url, or write the method in lower case.
  const challenge = single(parameters, "code_challenge")?.replace(/=$/, "") ?? null;
  const method = single(parameters, "code_challenge_method")?.toUpperCase() ?? null;
  refuseIf(challenge === null && method !== null, "code_challenge is missing");
  refuseIf(challenge === null && requiresPkce, "code_challenge is required");
  refuseIf(challenge !== null && method !== "S256", "code_challenge_method must be S256");
  refuseIf(challenge !== null && !/^[\w-]{43}$/.test(challenge), "code_challenge must be 43 base64url characters");
  return challenge;
}

function readNonce(nonce: string | null): string | null {
  // It is stored, and in ID tokens. Databases refuse some control characters.
  refuseIf(nonce !== null && (nonce.length > NONCE_MAX || /\p{Cc}|\uFFFD/u.test(nonce)), "nonce is not valid");
  return nonce;
}

function readMaxAge(maxAge: string | null): number | null {
  // Some languages write a whole number as 3600.0.
  refuseIf(maxAge !== null && !/^\s*\d{1,15}(\.0+)?\s*$/.test(maxAge), "max_age must be a number of seconds");
  return maxAge === null ? null : Number(maxAge);
}

/** Of the values that this service knows, 1 and 2, the first is the preferred one. */
function asksForSecondFactor(acrValues: string): boolean {
  return wordsOf(acrValues).find((value) => value === "1" || value === "2") === "2";
}

/** Returns the words of a list, whatever white space is between and around them. */
export function wordsOf(list: string): string[] {
  return list.split(/\s+/).filter((word) => word !== "");
}
