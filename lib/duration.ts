/** Durations, in the unit that each name ends with. */

export const SECOND_MS = 1_000;
export const MINUTE_SECONDS = 60;
export const HOUR_SECONDS = 60 * MINUTE_SECONDS;
export const DAY_SECONDS = 24 * HOUR_SECONDS;
/** As long as a cached copy of a stored object may live. Source: spec, Upload rule 6. */
export const YEAR_SECONDS = 365 * DAY_SECONDS;

/** The moment `seconds` after `date`. */
export function secondsAfter(date: Date, seconds: number): Date {
  return new Date(date.getTime() + seconds * SECOND_MS);
}

/** Whole Unix seconds of `date`, the form in which JSON carries a time. Source: spec, User. */
export function unixSeconds(date: Date): number {
  return Math.floor(date.getTime() / SECOND_MS);
}
