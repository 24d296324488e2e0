import type { Context } from "fresh";
import { isSameSecret } from "../../bytes.ts";
import type { Config } from "../../config/config.ts";
import { DAY_SECONDS } from "../../duration.ts";
import { IdpError, type IdpRefusal } from "../../errors.ts";
import type { IdentityProvider, SignInAttempt } from "../../identity_provider.ts";
import { DEFAULT_PROVIDER, signInPath } from "../../config/provider_settings.ts";
import { SIGN_IN_METHODS_PAGE } from "../../sign_in/providers/identity_link.ts";
import {
  ATTEMPT_SECONDS,
  attemptId,
  type BrowserAttempt,
  invalidState,
  openAttempt,
  type PresentedAttempt,
  type ProviderAttempt,
  requireProvider,
} from "../../sign_in/providers/provider_attempt.ts";
import { cookieNames, cookieValues, hostCookie, withCookie, withoutCookie } from "../../http/cookies.ts";
import { errorResponse } from "../error_responses.tsx";
import { withNext } from "../pages/next_path.ts";
import { requestIdOf } from "../../http/request_id.ts";
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

/** What an attempt was started for, and the page to go to after it. */
type Goal = Pick<ProviderAttempt, "purpose" | "next">;

/** The goal of linking a provider. */
export const LINK: Goal = { purpose: "link", next: SIGN_IN_METHODS_PAGE };

/** The key of the provider in the query of a page about one. */
export function keyInQuery({ searchParams }: URL): string {
  return searchParams.get("provider") ?? DEFAULT_PROVIDER;
}

/** The links that start a sign-in, one for each provider. */
export function signInLinks({ providers }: Config, next: string | null): { name: string; href: string }[] {
  return providers.map(({ key, name }) => ({ name, href: withNext(signInPath(key), next) }));
}

/** The name of the provider if there is only one: the page that explains a refusal does not know which was chosen. */
export function onlyProviderName({ providers }: Config): string | null {
  return providers.length === 1 ? providers[0].name : null;
}

/** The goal of an attempt, and the key of its provider. */
interface Step {
  goal: Goal;
  key: string;
}

/**
 * Runs one step of an attempt. A failure at the provider is logged and redirects to the page that explains it.
 *
 * @throws {AppError} IDP_NOT_CONFIGURED.
 */
export async function idpStep(
  ctx: Context<State>,
  { goal, key }: Step,
  step: (idp: IdentityProvider) => Promise<Response>,
): Promise<Response> {
  const idp = requireProvider(ctx.state.services, key);
  return await explainRefusal(ctx, goal, () => step(idp));
}

/** Logs a refused sign-in, and redirects to the page that explains it. */
export async function explainRefusal(
  ctx: Context<State>,
  goal: Goal,
  step: () => Promise<Response>,
): Promise<Response> {
  try {
    return await step();
  } catch (error) {
    if (!(error instanceof IdpError)) throw error;
    const { refusal, message: reason, failure } = error;
    const level = failure === undefined && refusal !== "idp_failed" ? "info" : "warn";
    ctx.state.services.log(level, "sign-in failed", { requestId: requestIdOf(ctx.info), refusal, reason, ...failure });
    return ctx.redirect(refusedPath(goal, refusal));
  }
}

function refusedPath({ purpose, next }: Goal, refusal: IdpRefusal): string {
  return purpose === "link" ? `${SIGN_IN_METHODS_PAGE}?error=${refusal}` : withNext(`/login?error=${refusal}`, next);
}

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
 * The attempt that this browser started and the provider now finishes. The state ties the two together: without it, an
 * attacker could have the browser finish an attempt of their own.
 *
 * @throws {IdpError} cancelled when the person denied consent. This has no effect, so the state is not checked.
 * @throws {AppError} INVALID_STATE when the state is missing, different or repeated, or when a cookie of the attempt
 * came with two values. Source: docs/rules.md, Sign-in through a provider.
 */
export function requireAttempt({ req, url }: Context<State>): SignInAttempt {
  if (url.searchParams.get("error") === "access_denied") {
    throw new IdpError("cancelled", "The person denied consent");
  }
  const state = onlyCookie(req, STATE_COOKIE);
  const [received = "", ...others] = url.searchParams.getAll("state");
  if (state === null || others.length > 0 || !isSameSecret(state, received)) throw invalidState();
  return { state, codeVerifier: onlyCookie(req, VERIFIER_COOKIE) ?? "", nonce: onlyCookie(req, NONCE_COOKIE) };
}

/**
 * Returns the value of a cookie, or null if it is absent. Refuses two values: a sibling site may have set one of them
 * to make this browser finish another person's attempt, which would log it in to their account.
 */
function onlyCookie(req: Request, name: string): string | null {
  const values = cookieValues(req, name);
  if (values.length > 1) throw invalidState();
  return values[0] ?? null;
}

/**
 * Responds to the end of an attempt and clears its cookies, whatever the result. The sealed one stays: people who must
 * start again still get to their page.
 *
 * @param end gets the attempt, if its browser has presented it. An error page leads to its page.
 */
export async function endAttempt(
  ctx: Context<State>,
  end: (attempt: PresentedAttempt | null) => Promise<Response>,
): Promise<Response> {
  const { services } = ctx.state;
  const attempt = await findAttempt(ctx);
  const response = await end(attempt).catch((error) => errorResponse(ctx, error, { next: attempt?.next }));
  for (const name of [STATE_COOKIE, VERIFIER_COOKIE, NONCE_COOKIE]) withoutCookie(response, { name }, services.config);
  return response;
}

/** Opens the attempt of the state that the provider returned: the state cookie may belong to a newer one in another tab. */
async function findAttempt({ req, url, state: { services } }: Context<State>): Promise<PresentedAttempt | null> {
  const state = url.searchParams.get("state") ?? cookieValues(req, STATE_COOKIE)[0];
  const sealed = state === undefined ? null : onlyCookie(req, sealedCookie(state, services.config));
  return sealed === null ? null : await openAttempt(services, { state, sealed });
}
