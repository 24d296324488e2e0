import type { Words } from "../words/words.ts";

interface JoinedAtProps {
  date: Date;
  words: Words["people"];
}

/** The day a user joined, in UTC so that every reader sees the same day. */
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
