import { DAY_SECONDS, HOUR_SECONDS, MINUTE_SECONDS } from "../duration.ts";

/** Whole minutes, rounded up. */
export function minutesText(seconds: number): string {
  return countText(Math.ceil(seconds / MINUTE_SECONDS), "minute");
}

/** In the largest unit that divides the duration, at least in minutes. */
export function durationText(seconds: number): string {
  if (seconds % DAY_SECONDS === 0) return countText(seconds / DAY_SECONDS, "day");
  if (seconds % HOUR_SECONDS === 0) return countText(seconds / HOUR_SECONDS, "hour");
  return minutesText(seconds);
}

function countText(count: number, unit: string): string {
  return `${count} ${unit}${count === 1 ? "" : "s"}`;
}
