import type { Words } from "../words/words.ts";

/** A link to the development outbox, which shows the emails that would have been sent. */
export function OutboxLink({ words: { development, openOutbox } }: { words: Words["frame"] }) {
  return (
    <p class="outbox-link">
      {development} <a href="/dev/outbox">{openOutbox}</a>
    </p>
  );
}
