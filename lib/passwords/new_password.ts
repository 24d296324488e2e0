import { validationFailed } from "../errors/errors.ts";
import type { Services } from "../services/services.ts";
import { isGuessable } from "./guessable.ts";

/** A new password, and the person who chooses it. */
export interface NewPassword {
  password: string;
  person: { name: string; email: string };
  /** The field of the input that holds the password. */
  field: string;
}

/**
 * Requires that a new password is hard to guess and, if a service that knows breached passwords is configured, that it
 * is none of them. While that service does not respond, it is not asked: people can still choose a password. Do not
 * call this function in a transaction, because it may wait for two seconds.
 *
 * @throws {AppError} VALIDATION_FAILED, with the field in the details.
 */
export async function requireStrongPassword(
  services: Pick<Services, "breachedPasswords" | "config" | "log">,
  { password, person, field }: NewPassword,
): Promise<void> {
  const service = [services.config.brand.name, new URL(services.config.baseUrl).hostname];
  if (isGuessable(password, { ...person, service })) throw validationFailed({ [field]: [{ rule: "guessable" }] });
  if (await isBreached(services, password)) throw validationFailed({ [field]: [{ rule: "breached" }] });
}

async function isBreached(
  { breachedPasswords, log }: Pick<Services, "breachedPasswords" | "log">,
  password: string,
): Promise<boolean> {
  try {
    return await breachedPasswords?.includes(password) ?? false;
  } catch (error) {
    log("warn", "a new password was not compared with breached ones", { reason: String(error) });
    return false;
  }
}
