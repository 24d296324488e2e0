import type { Config } from "../../config/config.ts";
import { seal, type SealedPlace, secretsOf, unseal } from "../../crypto/sealed.ts";
import type { PostedAnswer } from "../../schemas/navigation.ts";
import { NAME_MAX } from "../../schemas/user_rules.ts";
import type { Services } from "../../services/services.ts";
import { invalidState } from "./attempt_end.ts";
import { isPostableState } from "./postable_state.ts";
import { attemptId } from "./provider_attempt.ts";

/** What a provider has posted about an attempt, as its browser keeps it for the next request. */
export interface KeptAnswer {
  code?: string;
  error?: string;
  /** The person's name, which the provider tells once. */
  name: string | null;
}

/**
 * Seals what a provider has posted about the attempt of a state.
 *
 * @throws {AppError} INVALID_STATE when the state is not one that we have made for this provider, or has expired.
 */
export async function sealAnswer(
  { config, now }: Pick<Services, "config" | "now">,
  { provider, answer: { state, code, error, user } }: { provider: string; answer: PostedAnswer },
): Promise<string> {
  if (!await isPostableState(config, { provider, state, now: now() })) throw invalidState();
  const kept: KeptAnswer = { code, error, name: nameIn(user) };
  return await seal(kept, placeOf(state, config));
}

/** Opens the answer to the attempt of a state. Returns null if the text is damaged or belongs to another state. */
export async function openAnswer(
  { config }: Pick<Services, "config">,
  { state, sealed }: { state: string; sealed: string },
): Promise<KeptAnswer | null> {
  return await unseal<KeptAnswer>(sealed, placeOf(state, config)).catch(() => null);
}

/** Reads the name in what Apple says about a person. Nothing else in it counts: the ID token is signed, this is not. */
function nameIn(user = ""): string | null {
  const { firstName, lastName } = objectIn(objectIn(parse(user)).name);
  const name = [firstName, lastName].filter((part) => typeof part === "string").join(" ").trim();
  return name === "" ? null : [...name].slice(0, NAME_MAX).join("");
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return null;
  }
}

function objectIn(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? value as Record<string, unknown> : {};
}

function placeOf(state: string, config: Config): SealedPlace {
  return { purpose: "provider_answers", id: attemptId(state), ...secretsOf(config) };
}
