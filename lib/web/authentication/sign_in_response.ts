import type { Context } from "fresh";
import { SECOND_STEP_SECONDS, type SecondStep } from "../../access/second_step.ts";
import type { SessionCredential } from "../../access/session.ts";
import type { Config } from "../../config/config.ts";
import { AppError } from "../../errors/errors.ts";
import { withCookie, withoutCookie } from "../../http/cookies.ts";
import type { Services } from "../../services/services.ts";
import { errorResponse } from "../error_responses.tsx";
import { pageAfterLogin, withNext } from "../pages/next_path.ts";
import type { State } from "../state.ts";
import { REQUIRED_PAGE } from "./current_session.ts";
import { withSessionCookie } from "./session_cookie.ts";
import { SECOND_STEP_COOKIE } from "./waiting_sign_in.ts";

/** The page that asks for the second factor. */
export const SECOND_STEP_PAGE = "/second-factor";

/**
 * Responds to a sign-in: with `success` and the cookie of the session, or with SECOND_FACTOR_REQUIRED and the cookie of
 * the sign-in that waits.
 */
export async function answerSignIn(
  ctx: Context<State>,
  signIn: SessionCredential | SecondStep,
  success: Response,
): Promise<Response> {
  const refusal = "methods" in signIn && new AppError("SECOND_FACTOR_REQUIRED", { methods: signIn.methods });
  return withSignIn(refusal ? await errorResponse(ctx, refusal) : success, signIn, ctx.state.services);
}

/** Adds the cookie of a session, or that of the sign-in that waits. */
export function withSignIn(
  response: Response,
  signIn: SessionCredential | SecondStep,
  services: Services,
): Response {
  if (!("methods" in signIn)) return withSessionCookie(response, signIn, services);
  return withSecondStepCookie(response, signIn.token, services.config);
}

/**
 * Redirects a browser after a sign-in: to `next`, or first to the second factor if the account has one. People who must
 * have one and have none are asked once to set it up.
 */
export function redirectSignedIn(
  ctx: Context<State>,
  signIn: SessionCredential | SecondStep,
  { next, status = 303 }: { next: string | null; status?: number },
): Response {
  const { services } = ctx.state;
  if ("methods" in signIn) {
    return withSecondStepCookie(ctx.redirect(withNext(SECOND_STEP_PAGE, next), status), signIn.token, services.config);
  }
  const path = signIn.lacksSecondFactor ? withNext(REQUIRED_PAGE, next) : next ?? pageAfterLogin(ctx.state);
  return withSessionCookie(ctx.redirect(path, status), signIn, services);
}

/** Sets the cookie of a sign-in that waits for the second factor. */
function withSecondStepCookie(response: Response, token: string, config: Config): Response {
  return withCookie(response, { name: SECOND_STEP_COOKIE, value: token, maxAge: SECOND_STEP_SECONDS }, config);
}

/** Deletes that cookie. */
export function withoutSecondStepCookie(response: Response, config: Config): Response {
  return withoutCookie(response, { name: SECOND_STEP_COOKIE }, config);
}
