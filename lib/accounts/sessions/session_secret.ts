import type { Config } from "../../config.ts";
import { seal, type SealedPlace, unseal } from "../../crypto/sealed.ts";
import type { ActiveSession } from "./session.ts";

/** Encrypts a secret, so that only the same session can read it. */
export async function sealForSession(
  { config, session }: { config: Config; session: ActiveSession },
  secret: string,
): Promise<string> {
  return await seal(secret, placeOf(session, config));
}

/** Decrypts the result of {@linkcode sealForSession}. Returns null if it is damaged or of another session. */
export async function unsealForSession(
  { config, session }: { config: Config; session: ActiveSession },
  sealed: string,
): Promise<string | null> {
  return await unseal<string>(sealed, placeOf(session, config)).catch(() => null);
}

function placeOf({ id }: ActiveSession, { appSecret }: Config): SealedPlace {
  return { purpose: "shown once", id, secret: appSecret };
}
