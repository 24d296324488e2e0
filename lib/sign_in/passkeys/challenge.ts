import {
  createExpiringText,
  type ExpiringPlace,
  type OpenedText,
  openExpiringText,
} from "../../crypto/expiring_text.ts";
import { MINUTE_SECONDS, secondsAfter } from "../../duration.ts";
import type { Services } from "../../services/services.ts";

/** How long people have to answer a challenge. */
export const CHALLENGE_SECONDS = 10 * MINUTE_SECONDS;

/** What a challenge is for: adding a passkey to one account, or proving who one is with any passkey. */
export type ChallengePurpose = { addTo: string } | "prove";

/** A challenge that we have issued and that has not expired. The authenticator signs its text. */
export type OpenChallenge = OpenedText;

/** Creates a challenge. Nothing is stored, so that a page can ask for one whenever it loads. */
export async function createChallenge(
  { config, now }: Pick<Services, "config" | "now">,
  purpose: ChallengePurpose,
): Promise<string> {
  return await createExpiringText(config, { ...placeOf(purpose), expiresAt: secondsAfter(now(), CHALLENGE_SECONDS) });
}

/** Returns the challenge if it is ours, for this purpose and not expired; otherwise null. */
export async function openChallenge(
  { config, now }: Pick<Services, "config" | "now">,
  { text, purpose }: { text: string | null; purpose: ChallengePurpose },
): Promise<OpenChallenge | null> {
  return await openExpiringText(config, { ...placeOf(purpose), text, now: now() });
}

function placeOf(purpose: ChallengePurpose): ExpiringPlace {
  return { purpose: "passkey_challenges", context: purpose === "prove" ? ["prove"] : ["add", purpose.addTo] };
}
