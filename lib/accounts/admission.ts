import type { Config } from "../config/config.ts";
import { mayUsePassword } from "../config/passwords_setting.ts";
import { AppError, validationFailed } from "../errors/errors.ts";

/** A new account: its address, and who opens it. */
interface Opening {
  email: string;
  by: "person" | "inviter";
}

/**
 * Requires that REGISTRATION and ALLOWED_EMAIL_DOMAINS allow a new account. Accounts that exist are not affected: call
 * it where people create one. Call it before looking the address up, so that the refusal does not reveal whether it has
 * one.
 *
 * @throws {AppError} REGISTRATION_CLOSED; VALIDATION_FAILED when the domain is not allowed.
 */
export function requireAdmission(
  config: Pick<Config, "registration" | "allowedEmailDomains">,
  { email, by }: Opening,
): void {
  const { registration } = config;
  if (registration === "closed" || registration === "invited" && by === "person") {
    throw new AppError("REGISTRATION_CLOSED", { reason: registration, cause: `REGISTRATION is ${registration}` });
  }
  requireAllowedDomain(config, email);
}

/** Whether people can create an account by themselves: with a password, or through a provider. */
export function canRegister(
  { registration, providers, ...setting }: Pick<Config, "registration" | "providers" | "passwords">,
): boolean {
  return registration === "open" && (mayUsePassword(setting, "first") || providers.length > 0);
}

/**
 * Requires that an account may get the address.
 *
 * @throws {AppError} VALIDATION_FAILED.
 */
export function requireAllowedDomain(config: Pick<Config, "allowedEmailDomains">, email: string): void {
  if (isDomainAllowed(config, email)) return;
  throw validationFailed({ email: [{ rule: "emailDomain", domains: config.allowedEmailDomains }] });
}

/** Whether the address has one of the domains in ALLOWED_EMAIL_DOMAINS. A subdomain is another domain. */
export function isDomainAllowed(
  { allowedEmailDomains }: Pick<Config, "allowedEmailDomains">,
  email: string,
): boolean {
  return allowedEmailDomains.length === 0 || allowedEmailDomains.includes(email.slice(email.lastIndexOf("@") + 1));
}
