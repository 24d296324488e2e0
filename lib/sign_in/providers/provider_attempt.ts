import type { Config } from "../../config/config.ts";
import { seal, type SealedPlace, secretsOf, unseal } from "../../crypto/sealed.ts";
import { hashToken } from "../../crypto/token.ts";
import { MINUTE_SECONDS, secondsAfter } from "../../duration.ts";
import type { IdentityProvider, SignInAttempt } from "../../services/identity_provider.ts";
import type { Services } from "../../services/services.ts";
import { createPostableState } from "./postable_state.ts";

/** How long people have to sign in at the provider, and to confirm what follows. */
export const ATTEMPT_SECONDS = 10 * MINUTE_SECONDS;
const SESSIONS_MAX = 8;

/**
 * What an attempt to sign in at the provider was started for, and where. Its browser keeps it, sealed: it sends no
 * session cookie when the provider leads it back, and rows for everyone who starts an attempt could fill the disk.
 */
export interface ProviderAttempt {
  /** The key of the provider. */
  provider: string;
  purpose: "sign_in" | "link";
  /** The user who started the attempt; null for a sign-in. */
  userId: string | null;
  /** The public ids of the sessions of the browser that started the attempt. */
  sessionIds: string[];
  /** The page of this site to go to after the sign-in. */
  next: string | null;
}

/** An attempt that its browser has presented. It may have expired. */
export interface PresentedAttempt extends ProviderAttempt {
  /** SHA-256 of the state, base64url. */
  id: string;
  expiresAt: Date;
}

/** What the browser keeps of an attempt, in cookies. */
export interface BrowserAttempt extends SignInAttempt {
  /** The sealed {@linkcode ProviderAttempt}. */
  sealed: string;
}

/**
 * Starts a sign-in at the provider.
 *
 * @param attempt.loginHint the address that the person has entered.
 * @returns the URL of the consent screen, and what the browser keeps.
 * @throws {IdpError} idp_failed.
 */
export async function startAttempt(
  { config, now }: Pick<Services, "config" | "now">,
  idp: IdentityProvider,
  { loginHint, ...attempt }: ProviderAttempt & { loginHint?: string },
): Promise<{ url: string; attempt: BrowserAttempt }> {
  const expiresAt = secondsAfter(now(), ATTEMPT_SECONDS);
  const { provider } = attempt;
  const state = idp.postsAnswer ? await createPostableState(config, { provider, expiresAt }) : undefined;
  const { url, attempt: started } = await idp.startSignIn({ loginHint, state });
  // Few enough to fit into a cookie.
  const sessionIds = attempt.sessionIds.slice(0, SESSIONS_MAX);
  const sealed = await seal({ ...attempt, sessionIds, expiresAt: expiresAt.getTime() }, placeOf(started.state, config));
  return { url, attempt: { ...started, sealed } };
}

/** Opens the attempt of a state. Returns null if the text is damaged or belongs to another state or secret. */
export async function openAttempt(
  { config }: Pick<Services, "config">,
  { state, sealed }: { state: string; sealed: string },
): Promise<PresentedAttempt | null> {
  try {
    const place = placeOf(state, config);
    const opened = await unseal<ProviderAttempt & { expiresAt: number }>(sealed, place);
    return { ...opened, id: place.id, expiresAt: new Date(opened.expiresAt) };
  } catch {
    return null;
  }
}

/** Names the attempt of a state without revealing the state. */
export function attemptId(state: string): string {
  return hashToken(state);
}

function placeOf(state: string, config: Config): SealedPlace {
  return { purpose: "provider_attempts", id: attemptId(state), ...secretsOf(config) };
}
