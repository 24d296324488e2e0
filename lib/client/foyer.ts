import { type Api, createApi, type Credentials, logIn } from "./api.ts";
import type { WebhookEvent } from "./operations.ts";
import { headerOf, type IncomingRequest } from "./request.ts";
import { askSession, type FoyerSession, type RequireOptions, type SessionOptions } from "./session.ts";
import { type TokenClaims, tokenVerifier } from "./token.ts";
import { readWebhook, type ReceivedEvent } from "./webhook.ts";

export type { Api, CallOptions, Credentials } from "./api.ts";
export { FoyerError, FoyerUnavailable } from "./errors.ts";
export type { Operations, WebhookEvent } from "./operations.ts";
export type { IncomingRequest } from "./request.ts";
export type { FoyerSession, FoyerUser, RequireOptions, SessionOptions } from "./session.ts";
export type { TokenClaims } from "./token.ts";
export type { ReceivedEvent } from "./webhook.ts";

export interface FoyerOptions {
  /** Where people reach Foyer: its `BASE_URL`. https, except on the own machine. */
  url: string;
  /** Where people reach your product, such as `https://wiki.example`. Needed behind a proxy. */
  origin?: string;
  /** Whom access tokens must be for: what `TOKEN_AUDIENCES`, or the resource of an app, calls your product. */
  audience?: string;
}

/** What a product asks of Foyer. */
export interface Foyer {
  readonly url: string;
  /**
   * Returns who sends a request. Asks Foyer once for each request.
   *
   * @returns null for a guest, and for someone who has not confirmed the address: anyone may have registered it.
   *
   * @throws {FoyerUnavailable} if Foyer does not answer. Then it is unknown who sends the request.
   */
  session(request: IncomingRequest, options?: SessionOptions): Promise<FoyerSession | null>;
  /**
   * Returns who sends a request. For a guest, throws a `Response`: it leads a person who opens a page to the login and
   * back, and is a 401 for everything else. `Sec-Fetch-Mode` says which of the two it is, else whether `Accept` has
   * `text/html`. The fetch of Node sends `Sec-Fetch-Mode: cors`, so it always gets the 401. Someone who
   * is not in `group` gets a 403.
   *
   * @throws {FoyerUnavailable} if Foyer does not answer.
   */
  require(request: IncomingRequest, options?: RequireOptions): Promise<FoyerSession>;
  /**
   * Returns what an access token says, after checking it by Foyer's public keys.
   *
   * @throws {FoyerError} 401 TOKEN_INVALID. {FoyerUnavailable} if the keys cannot be read.
   * @throws {TypeError} without `audience`: a token for another product would be accepted.
   */
  verify(token: string): Promise<TokenClaims>;
  /** The address of the login page, which leads back to an address or a path of your product. */
  loginUrl(next?: string): string;
  /** The address that logs out, and leads back. */
  logoutUrl(next?: string): string;
  /** The API, as one function for each operation. Without credentials, as a guest. */
  api(credentials?: Credentials): Api;
  /**
   * Logs in with a password, and returns the API as that person. For programs; lead people to `loginUrl`.
   *
   * @throws {FoyerError} 401 INVALID_CREDENTIALS; 403 SECOND_FACTOR_REQUIRED: give such a program an API token.
   */
  logIn(input: { email: string; password: string }): Promise<Api>;
  /**
   * Returns the event that a webhook has received.
   *
   * @param received a `Request`, or one of Express whose body `express.raw` has read.
   * @param secret `whsec_...`.
   * @throws {FoyerError} 400 SIGNATURE_INVALID.
   */
  webhook(received: Request | ReceivedEvent, secret: string): Promise<WebhookEvent>;
}

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\]|.*\.localhost)$/;

/**
 * Creates what a product needs to use Foyer. Asks for nothing yet.
 *
 * @throws {TypeError} for an address that is none, or is not safe.
 */
export function createFoyer(options: FoyerOptions): Foyer {
  const url = originOf("url", options.url);
  const origin = options.origin === undefined ? undefined : originOf("origin", options.origin);
  const { audience } = options;
  /** The headers stand for the request, because some frameworks pass on nothing else. */
  const known = new WeakMap<IncomingRequest["headers"], Map<boolean, Promise<FoyerSession | null>>>();
  const verifyToken = tokenVerifier(url);

  const session = (request: IncomingRequest, { bearer = false }: SessionOptions = {}) => {
    const answers = known.get(request.headers) ?? new Map();
    known.set(request.headers, answers);
    const answer = answers.get(bearer) ?? askSession(url, request, { bearer });
    answers.set(bearer, answer);
    return answer;
  };
  const addressAt = (path: string, next: string | undefined) => {
    if (next === undefined && origin === undefined) return url + path;
    return `${url}${path}?${new URLSearchParams({ next: new URL(next ?? "/", origin).href })}`;
  };

  return {
    url,
    session,
    async require(request, { group, ...options } = {}) {
      const found = await session(request, options);
      if (found !== null) {
        if (group === undefined || found.groups.includes(group)) return found;
        throw Response.json({ message: `Only members of ${group} may do this`, code: "FORBIDDEN" }, { status: 403 });
      }
      if (!isNavigation(request)) {
        throw Response.json({ message: "Log in first", code: "UNAUTHENTICATED" }, { status: 401 });
      }
      const location = addressAt("/login", addressOf(request, origin));
      throw new Response(null, { status: 303, headers: { location, "cache-control": "no-store" } });
    },
    async verify(token) {
      if (audience === undefined) throw new TypeError("createFoyer needs an audience before it can verify tokens");
      return await verifyToken(token, audience);
    },
    loginUrl: (next) => addressAt("/login", next),
    logoutUrl: (next) => addressAt("/logout", next),
    api: (credentials) => createApi(url, credentials),
    logIn: (input) => logIn(url, input),
    webhook: readWebhook,
  };
}

function originOf(name: string, value: string): string {
  const url = URL.canParse(value) ? new URL(value) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) throw new TypeError(`${name} is not an http address: ${value}`);
  if (url.protocol === "http:" && !LOOPBACK.test(url.hostname)) throw new TypeError(`${name} must be https: ${value}`);
  if (url.pathname !== "/" || url.search || url.hash || url.username) {
    throw new TypeError(`${name} must have neither a path nor a query: ${value}`);
  }
  return url.origin;
}

/** Whether a person opens a page, rather than a script or a program that asks for data. */
function isNavigation(request: IncomingRequest): boolean {
  const mode = headerOf(request, "sec-fetch-mode");
  if (mode !== null) return mode === "navigate";
  // Where a proxy drops Accept, a browser that opens a page still asks for upgrades to https.
  return headerOf(request, "accept")?.includes("text/html") || headerOf(request, "upgrade-insecure-requests") === "1";
}

/** The address that a request was sent to. Behind a proxy, only `origin` knows the first part of it. */
function addressOf(request: IncomingRequest, origin: string | undefined): string {
  const path = request.originalUrl ?? request.url ?? "/";
  const url = new URL(path, origin ?? `http://${headerOf(request, "host") ?? "localhost"}`);
  return (origin ?? url.origin) + url.pathname + url.search;
}
