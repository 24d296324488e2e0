/** Each is created once, because that takes as long as rendering a small page. */
const formats = new Map<string, Intl.DateTimeFormat>();

/** Writes a day, such as 22 November 2026, in UTC: the server does not know the reader's time zone. */
export function formatDay(date: Date, locale: string): string {
  return formatOf(locale).format(date);
}

/** Writes a day and a time, such as 22 November 2026 at 09:30, in UTC. */
export function formatMoment(date: Date, locale: string): string {
  return formatOf(locale, "short").format(date);
}

function formatOf(locale: string, timeStyle?: "short"): Intl.DateTimeFormat {
  const key = `${locale} ${timeStyle}`;
  let format = formats.get(key);
  if (format === undefined) {
    formats.set(key, format = new Intl.DateTimeFormat(locale, { dateStyle: "long", timeStyle, timeZone: "UTC" }));
  }
  return format;
}
