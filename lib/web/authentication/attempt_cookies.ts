import type { Context } from "fresh";
import type { Config } from "../../config/config.ts";
import { DAY_SECONDS } from "../../duration.ts";
import { cookieNames, cookieValues, hostCookie, withCookie, withoutCookie } from "../../http/cookies.ts";
import type { SignInAttempt } from "../../services/identity_provider.ts";
import type { ReturningBrowser } from "../../sign_in/providers/attempt_end.ts";
import {
  ATTEMPT_SECONDS,
  attemptId,
  type BrowserAttempt,
  openAttempt,
  type PresentedAttempt,
} from "../../sign_in/providers/provider_attempt.ts";
import { type KeptAnswer, openAnswer } from "../../sign_in/providers/posted_answer.ts";
import { errorResponse } from "../error_responses.tsx";
import type { State } from "../state.ts";

/** Source: docs/rules.md, Sign-in through a provider. */
const STATE_COOKIE = "idp_oauth_state";
const VERIFIER_COOKIE = "idp_code_verifier";
const NONCE_COOKIE = "idp_nonce";
/** Followed by the start of a hash of the state, so that attempts in several tabs keep apart. */
const SEALED_COOKIE = "idp_attempt_";
/** What a provider has posted. There is one, because any site may post something for an attempt of its own. */
const ANSWER_COOKIE = "idp_answer";
const HASH_LENGTH = 12;
const SEALED_SECONDS = DAY_SECONDS;
/**
 * Browsers refuse a cookie of more than 4,096 bytes, so a long text is kept in parts. In the cookie, a part is a little
 * longer than here, because some of its characters are encoded.
 */
const PART_LENGTH = 3_400;
/** Sealed cookies that a browser keeps at a time, so that it never sends more than servers accept. */
const SEALED_MAX = 3;
/** Sealed cookies that one response clears: tabs that start at the same time may leave more than `SEALED_MAX`. */
const CLEARED_MAX = 16;

/** Stores the attempt in cookies. The browser sends them to the callback. */
export function withAttemptCookies(
  response: Response,
  req: Request,
  { state, codeVerifier, nonce, sealed }: BrowserAttempt,
  config: Config,
): Response {
  const older = cookieNames(req).filter((name) => name.startsWith(hostCookie(SEALED_COOKIE, config)))
    .slice(0, CLEARED_MAX);
  const parts = sealedParts(state, sealed, config);
  for (const name of older.length + parts.length <= SEALED_MAX ? [] : older) withoutCookie(response, { name }, config);
  const values = {
    [STATE_COOKIE]: state,
    [VERIFIER_COOKIE]: codeVerifier,
    [NONCE_COOKIE]: nonce,
  };
  for (const [name, value] of Object.entries(values)) {
    if (value === null) withoutCookie(response, { name }, config);
    else withCookie(response, { name, value, maxAge: ATTEMPT_SECONDS }, config);
  }
  for (const part of parts) withCookie(response, { ...part, maxAge: SEALED_SECONDS }, config);
  return response;
}

/** The sealed attempt as one cookie, or more if it is long. */
function sealedParts(state: string, sealed: string, config: Config): { name: string; value: string }[] {
  const count = Math.ceil(sealed.length / PART_LENGTH);
  return Array.from({ length: count }, (_, part) => ({
    name: sealedCookie(state, part, config),
    value: sealed.slice(part * PART_LENGTH, (part + 1) * PART_LENGTH),
  }));
}

function sealedCookie(state: string, part: number, config: Config): string {
  const name = SEALED_COOKIE + attemptId(state).slice(0, HASH_LENGTH);
  return hostCookie(part === 0 ? name : `${name}.${part}`, config);
}

/**
 * Responds to a browser that a provider has sent back, and clears the cookies of its attempt, whatever the result. The
 * sealed one stays: people who must start again still get to their page.
 *
 * @param end gets what the browser presents. An error page leads to the page of its attempt.
 */
export async function endAttempt(
  ctx: Context<State>,
  end: (browser: ReturningBrowser) => Promise<Response>,
): Promise<Response> {
  const { config } = ctx.state.services;
  const presented = await findAttempt(ctx);
  const response = await end({ presented, started: startedAttempt(ctx.req) })
    .catch((error) => errorResponse(ctx, error, { next: presented?.next }));
  for (const name of [STATE_COOKIE, VERIFIER_COOKIE, NONCE_COOKIE]) withoutCookie(response, { name }, config);
  return withoutAnswer(response, ctx);
}

/** Stores what a provider has posted in a cookie, for the request to which the response redirects. */
export function withAnswer(response: Response, sealed: string, config: Config): Response {
  return withCookie(
    response,
    { name: hostCookie(ANSWER_COOKIE, config), value: sealed, maxAge: ATTEMPT_SECONDS },
    config,
  );
}

function withoutAnswer(response: Response, { req, state: { services: { config } } }: Context<State>): Response {
  const name = hostCookie(ANSWER_COOKIE, config);
  return cookieValues(req, name).length === 0 ? response : withoutCookie(response, { name }, config);
}

/** What the provider has posted about the attempt of the state in the query, or null. */
export async function findAnswer({ req, url, state: { services } }: Context<State>): Promise<KeptAnswer | null> {
  const state = url.searchParams.get("state");
  const [sealed, ...others] = cookieValues(req, hostCookie(ANSWER_COOKIE, services.config));
  if (state === null || sealed === undefined || others.length > 0) return null;
  return await openAnswer(services, { state, sealed });
}

/**
 * Opens the attempt of the state that the provider returned: the state cookie may belong to a newer one in another tab.
 */
async function findAttempt({ req, url, state: { services } }: Context<State>): Promise<PresentedAttempt | null> {
  const state = url.searchParams.get("state") ?? cookieValues(req, STATE_COOKIE)[0];
  const sealed = state === undefined ? null : sealedIn(req, state, services.config);
  return state === undefined || sealed === null ? null : await openAttempt(services, { state, sealed });
}

/**
 * Joins the parts of a sealed attempt. Returns null if there are none, or two values of one: a sibling site may have
 * set it.
 */
function sealedIn(req: Request, state: string, config: Config): string | null {
  let sealed = "";
  for (let part = 0; part < SEALED_MAX; part++) {
    const [value, ...others] = cookieValues(req, sealedCookie(state, part, config));
    if (others.length > 0) return null;
    if (value === undefined) break;
    sealed += value;
  }
  return sealed || null;
}

/**
 * The last attempt that this browser started, or null. Refuses two values of a cookie: a sibling site may have set one
 * of them to make this browser finish another person's attempt, which would log it in to their account.
 */
function startedAttempt(req: Request): SignInAttempt | null {
  const values = [STATE_COOKIE, VERIFIER_COOKIE, NONCE_COOKIE].map((name) => cookieValues(req, name));
  const [[state], [codeVerifier = ""], [nonce = null]] = values;
  return state === undefined || values.some(({ length }) => length > 1) ? null : { state, codeVerifier, nonce };
}
