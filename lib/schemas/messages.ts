import { MINUTE_SECONDS } from "../duration.ts";

/** What the summary of a refused form says, where the fields say the rest. */
export const CHECK_FIELDS = "Please look at what is marked below";

/** Of a form whose file is so large that the rest was not read. */
export const FILE_TOO_LARGE = "The file is too large";

/** Of a form that is so long that it was not read. */
export const FORM_TOO_LARGE = "That is more text than we can take. Please go back and shorten it";

/** Why a form was refused whose sender has used up the limit. */
export function tooManyAttempts(retryAfterSeconds: number): string {
  return `Too many attempts. Try again in ${minutesText(retryAfterSeconds)}`;
}

/** Whole minutes, rounded up. */
export function minutesText(seconds: number): string {
  const minutes = Math.ceil(seconds / MINUTE_SECONDS);
  return minutes === 1 ? "1 minute" : `${minutes} minutes`;
}

const FILL_IN = "Please fill this in";

/** What is wrong, by field; of a field that was left empty people need not hear every rule. */
export function forPeople(details: Record<string, string[]>, values: object): Record<string, string[]> {
  const isEmpty = (field: string) => (values as Record<string, unknown>)[field] === "";
  const entries = Object.entries(details);
  return Object.fromEntries(entries.map(([field, messages]) => [field, isEmpty(field) ? [FILL_IN] : messages]));
}
