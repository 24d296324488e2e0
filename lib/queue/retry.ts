import { HOUR_SECONDS, SECOND_MS } from "../duration.ts";

const FIRST_RETRY_SECONDS = 2;
const LONGEST_RETRY_SECONDS = HOUR_SECONDS;
/** Upper bound for Retry-After, so that an item is retried before its delivery is abandoned. */
const LONGEST_RETRY_AFTER_SECONDS = 6 * HOUR_SECONDS;
/** Each pause is shortened by a random share, at most this one, so that items are not all retried at once. */
const JITTER = 0.2;

/**
 * Returns the pause after a failed attempt: about two seconds after the first one, and twice as long after each further
 * one, up to an hour. A receiver may ask for more.
 */
export function pauseSeconds(attempts: number, askedSeconds = 0): number {
  const pause = Math.min(FIRST_RETRY_SECONDS * 2 ** (attempts - 1), LONGEST_RETRY_SECONDS);
  return Math.max(Math.min(askedSeconds, LONGEST_RETRY_AFTER_SECONDS), pause * (1 - JITTER * Math.random()));
}

/** Parses Retry-After, which holds seconds or a date. Source: RFC 9110, 10.2.3. */
export function retryAfterSeconds(value: string | null | undefined): number {
  if (value === null || value === undefined) return 0;
  const seconds = /^\d+$/.test(value) ? Number(value) : (Date.parse(value) - Date.now()) / SECOND_MS;
  return Math.max(0, seconds) || 0;
}
