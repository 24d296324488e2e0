import { DAY_SECONDS, HOUR_SECONDS, MINUTE_SECONDS } from "../duration.ts";
import { dateFormat, numberFormat } from "./formats.ts";

/** The server does not know the reader's time zone. */
const timeZone = "UTC";
/** A day, such as November 22, 2026. */
export const DAY: Intl.DateTimeFormatOptions = { dateStyle: "long", timeZone };
/** A day and a time, such as November 22, 2026 at 9:30 AM. */
export const MOMENT: Intl.DateTimeFormatOptions = { dateStyle: "long", timeStyle: "short", timeZone };
const SHORT_DAY: Intl.DateTimeFormatOptions = { day: "numeric", month: "short", year: "numeric", timeZone };
const SHORT_MOMENT: Intl.DateTimeFormatOptions = { ...SHORT_DAY, hour: "numeric", minute: "2-digit" };
const TIME: Intl.DateTimeFormatOptions = { timeStyle: "short", timeZone };

/** Writes a day, such as November 22, 2026, in UTC. */
export function formatDay(date: Date, locale: string): string {
  return dateFormat(locale, DAY).format(date);
}

/** Writes a day and a time, such as November 22, 2026 at 9:30 AM, in UTC. */
export function formatMoment(date: Date, locale: string): string {
  return dateFormat(locale, MOMENT).format(date);
}

/** Writes a day, such as Nov 22, 2026, in UTC. */
export function formatShortDay(date: Date, locale: string): string {
  return dateFormat(locale, SHORT_DAY).format(date);
}

/** Writes a day and a time, such as Nov 22, 2026, 9:30 AM, in UTC. */
export function formatShortMoment(date: Date, locale: string): string {
  return dateFormat(locale, SHORT_MOMENT).format(date);
}

/** Writes a time, such as 9:30 AM, in UTC. */
export function formatTime(date: Date, locale: string): string {
  return dateFormat(locale, TIME).format(date);
}

/** Writes how long something takes, such as "24 hours": whole days from two days on, then whole hours, then minutes. */
export function durationText(seconds: number, locale: string): string {
  if (seconds >= 2 * DAY_SECONDS && seconds % DAY_SECONDS === 0) return count(seconds / DAY_SECONDS, "day", locale);
  if (seconds % HOUR_SECONDS === 0) return count(seconds / HOUR_SECONDS, "hour", locale);
  return count(Math.ceil(seconds / MINUTE_SECONDS), "minute", locale);
}

/** Writes how long to wait at most: whole minutes or, from two hours on, whole hours. */
export function waitText(seconds: number, locale: string): string {
  const unit = seconds > 2 * HOUR_SECONDS ? HOUR_SECONDS : MINUTE_SECONDS;
  return durationText(Math.ceil(seconds / unit) * unit, locale);
}

function count(number: number, unit: "day" | "hour" | "minute", locale: string): string {
  return numberFormat(locale, { style: "unit", unit, unitDisplay: "long" }).format(number);
}
