import type { Context } from "fresh";
import type { Config } from "../../config/config.ts";
import { DAY_SECONDS } from "../../duration.ts";
import { cookieNames, cookieValues, hostCookie, withCookie, withoutCookie } from "../../http/cookies.ts";
import type { SignInAttempt } from "../../identity_provider.ts";
import type { ReturningBrowser } from "../../sign_in/providers/attempt_end.ts";
import {
  ATTEMPT_SECONDS,
  attemptId,
  type BrowserAttempt,
  openAttempt,
  type PresentedAttempt,
} from "../../sign_in/providers/provider_attempt.ts";
import { errorResponse } from "../error_responses.tsx";
import type { State } from "../state.ts";

/** Source: docs/rules.md, Sign-in through a provider. */
const STATE_COOKIE = "idp_oauth_state";
const VERIFIER_COOKIE = "idp_code_verifier";
const NONCE_COOKIE = "idp_nonce";
/** Followed by the start of a hash of the state, so that attempts in several tabs keep apart. */
const SEALED_COOKIE = "idp_attempt_";
const HASH_LENGTH = 12;
const SEALED_SECONDS = DAY_SECONDS;
/** Attempts whose cookies a browser keeps at a time, so that it never sends more than servers accept. */
const ATTEMPTS_MAX = 3;

/** Stores the attempt in cookies. The browser sends them to the callback. */
export function withAttemptCookies(
  response: Response,
  req: Request,
  { state, codeVerifier, nonce, sealed }: BrowserAttempt,
  config: Config,
): Response {
  const older = cookieNames(req).filter((name) => name.startsWith(hostCookie(SEALED_COOKIE, config)));
  for (const name of older.length < ATTEMPTS_MAX ? [] : older) withoutCookie(response, { name }, config);
  const values = {
    [STATE_COOKIE]: state,
    [VERIFIER_COOKIE]: codeVerifier,
    [NONCE_COOKIE]: nonce,
  };
  for (const [name, value] of Object.entries(values)) {
    if (value === null) withoutCookie(response, { name }, config);
    else withCookie(response, { name, value, maxAge: ATTEMPT_SECONDS }, config);
  }
  return withCookie(response, { name: sealedCookie(state, config), value: sealed, maxAge: SEALED_SECONDS }, config);
}

function sealedCookie(state: string, config: Config): string {
  return hostCookie(SEALED_COOKIE + attemptId(state).slice(0, HASH_LENGTH), config);
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
  return response;
}

/** Opens the attempt of the state that the provider returned: the state cookie may belong to a newer one in another tab. */
async function findAttempt({ req, url, state: { services } }: Context<State>): Promise<PresentedAttempt | null> {
  const state = url.searchParams.get("state") ?? cookieValues(req, STATE_COOKIE)[0];
  const [sealed, ...others] = state === undefined ? [] : cookieValues(req, sealedCookie(state, services.config));
  return sealed === undefined || others.length > 0 ? null : await openAttempt(services, { state, sealed });
}

/**
 * The last attempt that this browser started, or null. Refuses two values of a cookie: a sibling site may have set one of
 * them to make this browser finish another person's attempt, which would log it in to their account.
 */
function startedAttempt(req: Request): SignInAttempt | null {
  const values = [STATE_COOKIE, VERIFIER_COOKIE, NONCE_COOKIE].map((name) => cookieValues(req, name));
  const [[state], [codeVerifier = ""], [nonce = null]] = values;
  return state === undefined || values.some(({ length }) => length > 1) ? null : { state, codeVerifier, nonce };
}
