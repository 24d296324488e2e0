import { formatDay, formatMoment } from "../date_format.ts";

/** Writes a day like 22 November 2026, in UTC. */
export function dayText(date: Date): string {
  return formatDay(date, "en-GB");
}

/** Writes a time like 22 November 2026 at 09:30 UTC. */
export function momentText(date: Date): string {
  return `${formatMoment(date, "en-GB")} UTC`;
}
