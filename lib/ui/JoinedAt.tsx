import { formatDay } from "../texts/date_format.ts";
import type { Texts } from "../texts/texts.ts";

interface JoinedAtProps {
  date: Date;
  texts: Pick<Texts["people"], "joined" | "dateLocale">;
}

/** The day a user joined or a file was uploaded, in UTC so that every reader sees the same day. */
export function JoinedAt({ date, texts: { joined, dateLocale } }: JoinedAtProps) {
  return (
    <span class="meta">
      {joined} <time datetime={date.toISOString().slice(0, 10)}>{formatDay(date, dateLocale)}</time>
    </span>
  );
}
