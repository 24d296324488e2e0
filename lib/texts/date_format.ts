/** Each is created once, because that takes as long as rendering a small page. */
const formats = new Map<string, Intl.DateTimeFormat>();

/** Writes a day, such as November 22, 2026, in UTC: the server does not know the reader's time zone. */
export function formatDay(date: Date, locale: string): string {
  return formatOf(locale, { dateStyle: "long" }).format(date);
}

/** Writes a day and a time, such as November 22, 2026 at 9:30 AM, in UTC. */
export function formatMoment(date: Date, locale: string): string {
  return formatOf(locale, { dateStyle: "long", timeStyle: "short" }).format(date);
}

/** Writes a time, such as 9:30 AM, in UTC. */
export function formatTime(date: Date, locale: string): string {
  return formatOf(locale, { timeStyle: "short" }).format(date);
}

function formatOf(locale: string, styles: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${locale} ${styles.dateStyle} ${styles.timeStyle}`;
  let format = formats.get(key);
  if (format === undefined) formats.set(key, format = new Intl.DateTimeFormat(locale, { ...styles, timeZone: "UTC" }));
  return format;
}
