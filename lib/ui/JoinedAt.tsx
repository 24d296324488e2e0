import { formatDay } from "../texts/date_format.ts";

interface JoinedAtProps {
  date: Date;
  /** What happened on that day. */
  label: string;
  locale: string;
}

/** The day a user joined or a file was uploaded, in UTC so that every reader sees the same day. */
export function JoinedAt({ date, label, locale }: JoinedAtProps) {
  return (
    <span class="meta">
      {label} <time datetime={date.toISOString().slice(0, 10)}>{formatDay(date, locale)}</time>
    </span>
  );
}
