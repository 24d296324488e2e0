import type { SignInMethod } from "../access/tables.ts";
import type { SecondStep } from "../access/second_step.ts";
import type { SessionCredential } from "../access/session.ts";
import { AppError, type ErrorCode, IdpError } from "../errors/errors.ts";
import type { SignInOutcome } from "../metrics/metrics.ts";
import type { User } from "../users/user_row.ts";
import type { Services } from "../services/services.ts";

/** A person who has proved who they are, and the session that was opened, or the second step that must come first. */
export interface SignedIn {
  user: User;
  session: SessionCredential | SecondStep;
}

/** The outcomes of what a person can cause. Everything else has failed. */
const OUTCOMES: Partial<Record<ErrorCode, SignInOutcome>> = {
  INVALID_CREDENTIALS: "wrong",
  PROOF_WRONG: "wrong",
  UNAUTHENTICATED: "wrong",
  EMAIL_NOT_VERIFIED: "refused",
  ACCOUNT_SUSPENDED: "refused",
  PASSWORDS_OFF: "refused",
  PROVIDER_REQUIRED: "refused",
  RATE_LIMITED: "limited",
};

/**
 * Waits for a sign-in, and counts how it ended. Requests over the limit of a route do not get here. Refusals by an
 * identity provider are counted by {@linkcode countRefusedIdp}, because most happen before there is an identity.
 */
export async function countSignIn<Result extends SignedIn>(
  { metrics }: Pick<Services, "metrics">,
  method: SignInMethod,
  signIn: Promise<Result>,
): Promise<Result> {
  try {
    const result = await signIn;
    metrics.countSignIn(method, "methods" in result.session ? "second_step" : "success");
    return result;
  } catch (error) {
    if (!(error instanceof IdpError)) metrics.countSignIn(method, failureOf(error));
    throw error;
  }
}

/** Counts a sign-in that ended at the identity provider. */
export function countRefusedIdp({ metrics }: Pick<Services, "metrics">, { refusal }: IdpError): void {
  metrics.countSignIn("idp", refusal === "idp_failed" ? "failed" : "refused");
}

function failureOf(error: unknown): SignInOutcome {
  const code: ErrorCode | undefined = error instanceof AppError ? error.code : undefined;
  return code === undefined ? "failed" : OUTCOMES[code] ?? "failed";
}
