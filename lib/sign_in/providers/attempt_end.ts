import { isSameSecret } from "../../bytes/bytes.ts";
import { AppError, IdpError } from "../../errors/errors.ts";
import type { IdentityProvider, IdpIdentity, SignInAttempt } from "../../services/identity_provider.ts";
import type { Services } from "../../services/services.ts";
import { spendOnce } from "../spent.ts";
import type { PresentedAttempt } from "./provider_attempt.ts";

/** What a browser presents when a provider sends it back. */
export interface ReturningBrowser {
  /** The attempt of the state that the provider returned, or null. */
  presented: PresentedAttempt | null;
  /** What the browser keeps of its last attempt, or null if there is none. */
  started: SignInAttempt | null;
}

/** The response of a provider to a browser. */
interface Returned extends ReturningBrowser {
  /** The key of the provider. */
  provider: string;
  parameters: URLSearchParams;
}

/** The error of RFC 6749, and the one of Apple. */
const CANCELLATIONS = ["access_denied", "user_cancelled_authorize"];

/**
 * Finishes an attempt at its provider, which then says who signed in. The state ties the response to this browser:
 * without it, an attacker could have the browser finish an attempt of their own. Of several concurrent callbacks,
 * exactly one succeeds. The others make no request to the provider, and neither does a callback with the response of
 * another provider.
 *
 * @throws {IdpError} cancelled when the person denied consent. This has no effect, so the state is not checked.
 * idp_failed when the provider fails.
 * @throws {AppError} INVALID_STATE when the state is missing, different or repeated, or when the attempt is unknown,
 * was started at another provider, has expired or is spent. Source: docs/rules.md, Sign-in through a provider.
 */
export async function finishAttempt(
  { db, now }: Pick<Services, "db" | "now">,
  idp: IdentityProvider,
  { presented, started, provider, parameters }: Returned,
): Promise<{ attempt: PresentedAttempt; identity: IdpIdentity }> {
  if (CANCELLATIONS.includes(parameters.get("error") ?? "")) {
    throw new IdpError("cancelled", "The person denied consent");
  }
  const [received = "", ...others] = parameters.getAll("state");
  if (started === null || others.length > 0 || !isSameSecret(started.state, received)) throw invalidState();
  if (presented === null || presented.provider !== provider || presented.expiresAt <= now()) throw invalidState();
  if (!await spendOnce(db, presented)) throw invalidState();
  return { attempt: presented, identity: await idp.finishSignIn({ parameters, attempt: started }) };
}

/** Returns the error for a state that belongs to no attempt of this browser. */
export function invalidState(): AppError {
  return new AppError("INVALID_STATE");
}
