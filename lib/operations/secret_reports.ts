import { COMMAND_LINE } from "../activity/events.ts";
import type { Services } from "../services.ts";
import { AFTER_REVOCATION } from "./after_revocation.ts";
import { resealAll } from "./reseal.ts";
import { revokeSecrets } from "./revoke.ts";

/**
 * Seals everything again that a previous secret has sealed, and reports it.
 *
 * @throws {Error} when a value opens with no secret. All others have been sealed again.
 */
export async function reportReseal(services: Services): Promise<{ text: string; value: unknown }> {
  const { count, unreadable } = await resealAll(services);
  const text = `Values sealed again with APP_SECRET: ${count}.`;
  if (unreadable.length === 0) return { text, value: { resealed: count } };
  throw new Error(
    `${text} No secret opens these: ${unreadable.join(", ")}. Add the secret that sealed them to APP_SECRET_PREVIOUS.`,
  );
}

/** Ends what someone may hold who knows APP_SECRET, and reports it. */
export async function reportRevocation(services: Services): Promise<{ text: string; value: unknown }> {
  const value = await revokeSecrets(services, COMMAND_LINE);
  const { sessions, tokens, signingKeys } = value;
  const lines = [
    `Ended: ${sessions} sessions, ${tokens} API tokens, ${signingKeys} keys of access tokens, all links and codes.`,
    "What else to do:",
    ...AFTER_REVOCATION.map((line, i) => `${i + 1}. ${line}`),
  ];
  return { text: lines.join("\n"), value };
}
