import type { Words } from "../words/words.ts";

interface JoinedAtProps {
  date: Date;
  words: Pick<Words["people"], "joined" | "dateLocale">;
}

/** The day a user joined or a file was uploaded, in UTC so that every reader sees the same day. */
export function JoinedAt({ date, words: { joined, dateLocale } }: JoinedAtProps) {
  const text = date.toLocaleDateString(dateLocale, {
    day: "numeric",
    month: "long",
    year: "numeric",
    timeZone: "UTC",
  });
  return (
    <span class="meta">
      {joined} <time datetime={date.toISOString().slice(0, 10)}>{text}</time>
    </span>
  );
}
