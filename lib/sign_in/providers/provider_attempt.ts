import type { ProviderAttemptsTable } from "../../../db/schema.ts";
import { hashToken } from "../../crypto/token.ts";
import { MINUTE_SECONDS, secondsAfter } from "../../duration.ts";
import { AppError } from "../../errors.ts";
import { DEFAULT_PROVIDER } from "../../config/provider_settings.ts";
import type { IdentityProvider } from "../../identity_provider.ts";
import type { Services } from "../../services.ts";

/** How long people have to sign in at the provider, and to confirm what follows. */
export const ATTEMPT_SECONDS = 10 * MINUTE_SECONDS;

/**
 * What an attempt to sign in at the provider was started for, and where. It is kept here, because the browser sends no
 * session cookie when the provider leads it back.
 */
export interface ProviderAttempt {
  /** The key of the provider. */
  provider: string;
  purpose: ProviderAttemptsTable["purpose"];
  /** The user who started the attempt; null for a sign-in. */
  userId: string | null;
  /** The public ids of the sessions of the browser that started the attempt. */
  sessionIds: string[];
  /** The page of this site to go to after the sign-in. */
  next: string | null;
}

/** An attempt that the provider finishes. */
export interface TakenAttempt extends ProviderAttempt {
  expiresAt: Date;
}

/**
 * Returns the identity provider with a key.
 *
 * @throws {AppError} IDP_NOT_CONFIGURED.
 */
export function requireProvider({ providers }: Pick<Services, "providers">, key: string): IdentityProvider {
  const provider = providers.get(key);
  if (provider === undefined) throw new AppError("IDP_NOT_CONFIGURED", "No such identity provider is configured");
  return provider;
}

/** Hides attempts from instances of the previous release, which would finish them at the default provider. */
const OTHER_PROVIDER = "other provider ";

/** Returns the id of the attempt that a state or a token belongs to. */
export function attemptId(secret: string, provider: string): string {
  return hashToken(provider === DEFAULT_PROVIDER ? secret : OTHER_PROVIDER + secret);
}

/** Returns the ids that the attempt of a state or a token may have, where the provider is not known. */
export function attemptIds(secret: string): string[] {
  return [hashToken(secret), hashToken(OTHER_PROVIDER + secret)];
}

/** Stores an attempt. Its state is the key, and only its browser and the provider know it. */
export async function startAttempt(
  { db, now }: Pick<Services, "db" | "now">,
  state: string,
  { provider, purpose, userId, sessionIds, next }: ProviderAttempt,
): Promise<void> {
  await db.insertInto("provider_attempts").values({
    id: attemptId(state, provider),
    provider,
    purpose,
    user_id: userId,
    session_ids: sessionIds,
    next,
    expires_at: secondsAfter(now(), ATTEMPT_SECONDS),
  }).execute();
}

/** What an attempt was started for, and the page to go to after it. */
export type AttemptGoal = Pick<ProviderAttempt, "purpose" | "next">;

/**
 * Finds the goal of the attempt of a state, or null. Expired attempts and those of other tabs count too, so that people
 * who must start again still get there.
 */
export async function findGoal({ db }: Pick<Services, "db">, state: string): Promise<AttemptGoal | null> {
  return await db.selectFrom("provider_attempts").select(["purpose", "next"]).where("id", "in", attemptIds(state))
    .executeTakeFirst() ?? null;
}

/**
 * Takes the attempt of a state at a provider. Of several concurrent callbacks, exactly one gets it. The others make no
 * request to the provider, and neither does a callback with the response of another provider.
 *
 * @throws {AppError} INVALID_STATE when the attempt does not exist, was started at another provider or has expired.
 */
export async function takeAttempt(
  { db, now }: Pick<Services, "db" | "now">,
  { state, provider }: { state: string; provider: string },
): Promise<TakenAttempt> {
  const row = await db.deleteFrom("provider_attempts")
    .where("id", "=", attemptId(state, provider)).where("provider", "=", provider)
    .where("subject", "is", null).where("expires_at", ">", now())
    .returning(["purpose", "user_id", "session_ids", "next", "expires_at"]).executeTakeFirst();
  if (row === undefined) throw invalidState();
  const { purpose, user_id: userId, session_ids: sessionIds, next, expires_at: expiresAt } = row;
  return { provider, purpose, userId, sessionIds, next, expiresAt };
}

/** Returns the error for a state that belongs to no attempt of this browser. */
export function invalidState(): AppError {
  return new AppError("INVALID_STATE", "Invalid state parameter");
}
