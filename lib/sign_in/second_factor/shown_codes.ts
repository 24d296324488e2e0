import { seal, type SealedPlace, unseal } from "../../crypto/sealed.ts";
import { MINUTE_SECONDS, secondsAfter, unixSeconds } from "../../duration.ts";
import type { Services } from "../../services.ts";

/** How long the page may take to show new recovery codes. */
export const SHOWN_CODES_SECONDS = 10 * MINUTE_SECONDS;

interface ShownCodes {
  codes: string[];
  /** In Unix seconds. */
  until: number;
}

/** Encrypts new recovery codes for the page that shows them. Only this session can read them. */
export async function sealShownCodes(
  { config, now }: Pick<Services, "config" | "now">,
  { codes, sessionId }: { codes: string[]; sessionId: string },
): Promise<string> {
  const until = unixSeconds(secondsAfter(now(), SHOWN_CODES_SECONDS));
  return await seal({ codes, until } satisfies ShownCodes, placeOf(sessionId, config));
}

/** Returns the codes, or null if they are not for this session or too old. */
export async function unsealShownCodes(
  { config, now }: Pick<Services, "config" | "now">,
  { sealed, sessionId }: { sealed: string; sessionId: string },
): Promise<string[] | null> {
  const shown = await unseal<ShownCodes>(sealed, placeOf(sessionId, config)).catch(() => null);
  return shown !== null && unixSeconds(now()) < shown.until ? shown.codes : null;
}

function placeOf(sessionId: string, { appSecret }: Services["config"]): SealedPlace {
  return { purpose: "shown_recovery_codes", id: sessionId, secret: appSecret };
}
