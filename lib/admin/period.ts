import { v7 } from "uuid";
import { DAY_SECONDS, secondsAfter } from "../duration.ts";

/** The periods that the overview counts. */
const SECONDS = { day: DAY_SECONDS, week: 7 * DAY_SECONDS, month: 30 * DAY_SECONDS };

/** The least id that something created within a period before a time may have. */
export function firstIdWithin(period: keyof typeof SECONDS, now: Date): string {
  return firstIdSince(secondsAfter(now, -SECONDS[period]));
}

/** The least id that something created at a time or later may have. */
export function firstIdSince(start: Date): string {
  return v7({ msecs: start.getTime(), random: new Uint8Array(16), seq: 0 });
}
