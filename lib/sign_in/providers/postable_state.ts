import type { Config } from "../../config/config.ts";
import { createExpiringText, type ExpiringPlace, openExpiringText } from "../../crypto/expiring_text.ts";

/**
 * Makes the state of an attempt whose answer the provider will post. The browser sends no cookies with a form of
 * another site, so we must recognize the state without them, and without a row for everyone who starts an attempt.
 */
export async function createPostableState(
  config: Config,
  { provider, expiresAt }: { provider: string; expiresAt: Date },
): Promise<string> {
  return await createExpiringText(config, { ...placeOf(provider), expiresAt });
}

/** Whether a state is one that we have made for this provider, and has not expired. */
export async function isPostableState(
  config: Config,
  { provider, state, now }: { provider: string; state: string; now: Date },
): Promise<boolean> {
  return await openExpiringText(config, { ...placeOf(provider), text: state, now }) !== null;
}

function placeOf(provider: string): ExpiringPlace {
  return { purpose: "provider_states", context: [provider] };
}
