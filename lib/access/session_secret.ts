import { seal, type SealedPlace, secretsOf, unseal } from "../crypto/sealed.ts";
import { MINUTE_SECONDS, secondsAfter, unixSeconds } from "../duration.ts";
import type { Services } from "../services/services.ts";
import type { ActiveSession } from "./session.ts";

/** How long a session can read a secret that was encrypted for it. */
export const SECRET_SECONDS = 10 * MINUTE_SECONDS;

interface SessionSecret {
  secret: string;
  /** In Unix seconds. */
  expiresAt: number;
}

/** Encrypts a secret for ten minutes, so that only the same session can read it. */
export async function sealForSession(
  { config, now }: Pick<Services, "config" | "now">,
  { session, secret }: { session: ActiveSession; secret: string },
): Promise<string> {
  const expiresAt = unixSeconds(secondsAfter(now(), SECRET_SECONDS));
  return await seal({ secret, expiresAt } satisfies SessionSecret, placeOf(session, config));
}

/** Decrypts the result of {@linkcode sealForSession}. Returns null if it is damaged, too old or for another session. */
export async function unsealForSession(
  { config, now }: Pick<Services, "config" | "now">,
  { session, sealed }: { session: ActiveSession; sealed: string },
): Promise<string | null> {
  const opened = await unseal<SessionSecret>(sealed, placeOf(session, config)).catch(() => null);
  return opened !== null && unixSeconds(now()) < opened.expiresAt ? opened.secret : null;
}

function placeOf({ id }: ActiveSession, config: Services["config"]): SealedPlace {
  return { purpose: "shown once", id, ...secretsOf(config) };
}
