import type { Config } from "../../config/config.ts";
import type { AppError } from "../../errors.ts";
import type { Texts } from "../../texts/texts.ts";
import { retryAfterMinutes } from "./form.ts";

/**
 * Returns the text for a login that exceeds a limit, which names only what helps: no reset lifts the limit of a network,
 * which passkeys and codes also count under, but one does lift the limit of an address.
 */
export function loginLimitText(
  error: AppError,
  { errors }: Texts,
  { providers }: Pick<Config, "providers">,
): string | undefined {
  if (!error.is("RATE_LIMITED")) return undefined;
  const minutes = retryAfterMinutes(error);
  return error.data.reason === "login"
    ? errors.networkLimit({ minutes, providers: providers.map(({ name }) => name) })
    : errors.addressLimit(minutes);
}
