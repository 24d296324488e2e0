import { formatShortDay, formatShortMoment } from "../../texts/date_format.ts";

interface CellTimeProps {
  date: Date;
  /** Whether the day is enough. */
  isDay?: boolean;
  locale: string;
}

/** A day, or a day and time, in the cell of a table: shorter than `Moment`. In UTC until the script of `Times` runs. */
export function CellTime({ date, isDay, locale }: CellTimeProps) {
  return (
    <time datetime={date.toISOString()} data-cell={isDay ? "day" : "moment"}>
      {isDay ? formatShortDay(date, locale) : `${formatShortMoment(date, locale)} UTC`}
    </time>
  );
}
