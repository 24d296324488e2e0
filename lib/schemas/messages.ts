import { MINUTE_SECONDS } from "../duration.ts";

/** Whole minutes, rounded up. */
export function minutesText(seconds: number): string {
  const minutes = Math.ceil(seconds / MINUTE_SECONDS);
  return minutes === 1 ? "1 minute" : `${minutes} minutes`;
}
