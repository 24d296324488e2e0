import { timingSafeEqual } from "node:crypto";
import type { Context } from "fresh";
import type { Config } from "../config.ts";
import { MINUTE_SECONDS } from "../duration.ts";
import { AppError, IdpError } from "../errors.ts";
import type { IdentityProvider, SignInAttempt } from "../services.ts";
import { cookieValues, withCookie, withoutCookie } from "./cookies.ts";
import { errorResponse } from "./error_responses.tsx";
import { nextPath, withNext } from "./pages/next_path.ts";
import { ownPath } from "./pages/own_path.ts";
import { requestIdOf } from "./request_id.ts";
import type { State } from "./state.ts";

/** Source: spec, Authentication 5. */
const STATE_COOKIE = "idp_oauth_state";
const VERIFIER_COOKIE = "idp_code_verifier";
const NONCE_COOKIE = "idp_nonce";
/** The page to go to after the sign-in. */
const NEXT_COOKIE = "idp_next";
const ATTEMPT_SECONDS = 10 * MINUTE_SECONDS;

/**
 * Runs one step of a sign-in. A failure at the provider is logged and redirects to the login page, which explains it.
 *
 * @throws {AppError} IDP_NOT_CONFIGURED.
 */
export async function idpStep(
  ctx: Context<State>,
  step: (idp: IdentityProvider) => Promise<Response>,
): Promise<Response> {
  const { idp, log } = ctx.state.services;
  if (idp === null) throw new AppError("IDP_NOT_CONFIGURED", "No identity provider is configured");
  try {
    return await step(idp);
  } catch (error) {
    if (!(error instanceof IdpError)) throw error;
    const { refusal, message: reason } = error;
    const level = refusal === "idp_failed" ? "warn" : "info";
    log(level, "sign-in failed", { requestId: requestIdOf(ctx.info), refusal, reason });
    return ctx.redirect(withNext(`/login?error=${refusal}`, nextPath(ctx) ?? attemptNext(ctx)));
  }
}

/** Stores the attempt, and the page to go to after it, in cookies. The browser sends them to the callback. */
export function withAttemptCookies(
  response: Response,
  { state, codeVerifier, nonce, next }: SignInAttempt & { next: string | null },
  config: Config,
): Response {
  const values = {
    [STATE_COOKIE]: state,
    [VERIFIER_COOKIE]: codeVerifier,
    [NONCE_COOKIE]: nonce,
    [NEXT_COOKIE]: next,
  };
  for (const [name, value] of Object.entries(values)) {
    if (value === null) withoutCookie(response, { name }, config);
    else withCookie(response, { name, value, maxAge: ATTEMPT_SECONDS }, config);
  }
  return response;
}

/**
 * The attempt that this browser started and the provider now finishes. The state ties the two together: without it, an
 * attacker could have the browser finish an attempt of their own.
 *
 * @throws {IdpError} cancelled when the person denied consent. This has no effect, so the state is not checked.
 * @throws {AppError} INVALID_STATE when the state is missing, different or repeated, or when a cookie of the attempt
 * came with two values. Source: spec, Account rule 4.
 */
export function requireAttempt({ req, url }: Context<State>): SignInAttempt {
  if (url.searchParams.get("error") === "access_denied") {
    throw new IdpError("cancelled", "The person denied consent");
  }
  const state = onlyCookie(req, STATE_COOKIE);
  const [received = "", ...others] = url.searchParams.getAll("state");
  if (state === null || others.length > 0 || !isSame(state, received)) throw invalidState();
  return { state, codeVerifier: onlyCookie(req, VERIFIER_COOKIE) ?? "", nonce: onlyCookie(req, NONCE_COOKIE) };
}

/** The page to go to after the attempt, or null. Checked again, because a sibling site can set cookies too. */
export function attemptNext({ req, state }: Context<State>): string | null {
  return ownPath(cookieValues(req, NEXT_COOKIE)[0] ?? null, state.services.config.baseUrl);
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

function invalidState(): AppError {
  return new AppError("INVALID_STATE", "Invalid state parameter");
}

/** Responds to the end of an attempt and clears its cookies, whatever the result. */
export async function endAttempt(ctx: Context<State>, end: () => Promise<Response>): Promise<Response> {
  const response = await end().catch((error) => errorResponse(ctx, error));
  for (const name of [STATE_COOKIE, VERIFIER_COOKIE, NONCE_COOKIE, NEXT_COOKIE]) {
    withoutCookie(response, { name }, ctx.state.services.config);
  }
  return response;
}

function isSame(a: string, b: string): boolean {
  const [bytesOfA, bytesOfB] = [a, b].map((text) => new TextEncoder().encode(text));
  return bytesOfA.length === bytesOfB.length && timingSafeEqual(bytesOfA, bytesOfB);
}
