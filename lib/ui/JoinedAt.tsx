import { formatDay } from "../words/date_format.ts";
import type { Words } from "../words/words.ts";

interface JoinedAtProps {
  date: Date;
  words: Pick<Words["people"], "joined" | "dateLocale">;
}

/** The day a user joined or a file was uploaded, in UTC so that every reader sees the same day. */
export function JoinedAt({ date, words: { joined, dateLocale } }: JoinedAtProps) {
  return (
    <span class="meta">
      {joined} <time datetime={date.toISOString().slice(0, 10)}>{formatDay(date, dateLocale)}</time>
    </span>
  );
}
