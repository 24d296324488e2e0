/** Writes a day like 22 November 2026, in UTC. */
export function dayText(date: Date): string {
  return date.toLocaleDateString("en-GB", { dateStyle: "long", timeZone: "UTC" });
}

/** Writes a time like 22 November 2026 at 09:30 UTC. */
export function momentText(date: Date): string {
  return `${date.toLocaleString("en-GB", { dateStyle: "long", timeStyle: "short", timeZone: "UTC" })} UTC`;
}
