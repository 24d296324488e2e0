import type { AppError } from "../../errors/errors.ts";
import { orList } from "../../texts/formats.ts";
import { textsIn } from "../../texts/texts.ts";
import type { State } from "../state.ts";
import { retryAfterMinutes } from "./form.ts";

/**
 * Returns the text for a login that exceeds a limit, which names only what helps: no reset lifts the limit of a
 * network, which passkeys and codes also count under, but one does lift the limit of an address.
 */
export function loginLimitText(
  error: AppError,
  { language, services: { config } }: Pick<State, "language" | "services">,
): string | undefined {
  if (!error.is("RATE_LIMITED")) return undefined;
  const { errors } = textsIn(language);
  const minutes = retryAfterMinutes(error);
  if (error.data.reason !== "login") return errors.addressLimit({ minutes });
  if (config.providers.length === 0) return errors.networkLimit({ minutes });
  return errors.networkLimitOr({
    minutes,
    providers: orList(config.providers.map(({ name }) => name), language.locale),
  });
}
