import { formatDay, formatMoment } from "../date_format.ts";

/** Writes a day like November 22, 2026, in UTC. */
export function dayText(date: Date): string {
  return formatDay(date, "en-US");
}

/** Writes a time like November 22, 2026 at 9:30 AM UTC. */
export function momentText(date: Date): string {
  return `${formatMoment(date, "en-US")} UTC`;
}
