import type { Context } from "fresh";
import { clientOfCodes } from "../../sign_in/second_factor/code_limit.ts";
import { findWaitingSignIn, signInEnded, type WaitingSignIn } from "../../sign_in/second_factor/finish_sign_in.ts";
import type { State } from "../state.ts";
import { deviceTokens, singleToken } from "./presented_tokens.ts";

/** SameSite=Lax, because it is set when a provider redirects the browser back. */
export const SECOND_STEP_COOKIE = "second_factor";

/** Finds the sign-in of this browser that waits for the second factor, or null. */
export async function findSecondStep({ req, state }: Context<State>): Promise<WaitingSignIn | null> {
  return await findWaitingSignIn(state.services, singleToken(req, SECOND_STEP_COOKIE));
}

/**
 * Returns the sign-in of this browser that waits for the second factor. Requests are counted as its
 * codes are.
 *
 * @throws {AppError} UNAUTHENTICATED when there is none.
 */
export async function requireSecondStep(ctx: Context<State>): Promise<WaitingSignIn> {
  const waiting = await findSecondStep(ctx);
  if (waiting === null) throw signInEnded();
  const { limit, services } = ctx.state;
  const browser = { deviceTokens: deviceTokens(ctx.req, services.config) };
  if (limit !== undefined) limit.account = await clientOfCodes(services, waiting, browser);
  return waiting;
}
