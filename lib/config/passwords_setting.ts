import { AppError } from "../errors/errors.ts";

/** What passwords are for. */
export const PASSWORDS_CHOICES = ["on", "existing", "off"] as const;

/** The setting, as the configuration has it. */
export interface PasswordsSetting {
  passwords: typeof PASSWORDS_CHOICES[number];
}

/** What someone wants to do with a password: log in or prove who they are, or get one without having had one. */
export type PasswordUse = "open" | "first";

const ALLOWED: Record<PasswordsSetting["passwords"], PasswordUse[]> = {
  on: ["open", "first"],
  existing: ["open"],
  off: [],
};

/** Whether PASSWORDS allows this. */
export function mayUsePassword({ passwords }: PasswordsSetting, use: PasswordUse): boolean {
  return ALLOWED[passwords].includes(use);
}

/**
 * Requires that PASSWORDS allows this. Call it before looking an account up, so that the refusal says nothing about it.
 *
 * @throws {AppError} PASSWORDS_OFF.
 */
export function requirePasswordUse(setting: PasswordsSetting, use: PasswordUse): void {
  if (mayUsePassword(setting, use)) return;
  throw new AppError("PASSWORDS_OFF", {
    reason: setting.passwords === "off" ? "off" : "existing",
    cause: `PASSWORDS is ${setting.passwords}`,
  });
}
