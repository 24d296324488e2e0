import { formatDay } from "../../texts/date_format.ts";
import type { Language } from "../../texts/texts.ts";

/** Things that happened on one day. */
export interface Day<Entry> {
  /** In UTC, such as 2026-11-24. */
  date: string;
  entries: Entry[];
}

/** Groups things by the day in UTC, because the server does not know the reader's time zone. Keeps their order. */
export function groupByDay<Entry extends { createdAt: Date }>(entries: Entry[]): Day<Entry>[] {
  const days = Map.groupBy(entries, ({ createdAt }) => dateOf(createdAt));
  return [...days].map(([date, entries]) => ({ date, entries }));
}

/** Names a day in UTC, such as "Yesterday" or "November 22, 2026". */
export function dayName(date: string, now: Date, { locale, texts: { activity } }: Language): string {
  if (date === dateOf(now)) return activity.today;
  const yesterday = new Date(now);
  yesterday.setUTCDate(now.getUTCDate() - 1);
  if (date === dateOf(yesterday)) return activity.yesterday;
  return formatDay(new Date(date), locale);
}

function dateOf(moment: Date): string {
  return moment.toISOString().slice(0, 10);
}
