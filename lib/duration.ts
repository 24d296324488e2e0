/** Durations, in the unit that each name ends with. */

export const SECOND_MS = 1_000;
export const MINUTE_SECONDS = 60;
export const HOUR_SECONDS = 60 * MINUTE_SECONDS;
export const DAY_SECONDS = 24 * HOUR_SECONDS;
/** How long caches may keep a stored object. Source: docs/rules.md, Stored objects. */
export const YEAR_SECONDS = 365 * DAY_SECONDS;

/** Returns the time `seconds` after `date`. */
export function secondsAfter(date: Date, seconds: number): Date {
  return new Date(date.getTime() + seconds * SECOND_MS);
}

/** Returns whole Unix seconds, the format of times in JSON. Source: docs/rules.md, Users. */
export function unixSeconds(date: Date): number {
  return Math.floor(date.getTime() / SECOND_MS);
}

/** Returns a duration in minutes for API messages, rounded up: "1 minute", "15 minutes". */
export function minutesText(seconds: number): string {
  const minutes = Math.ceil(seconds / MINUTE_SECONDS);
  return minutes === 1 ? "1 minute" : `${minutes} minutes`;
}
