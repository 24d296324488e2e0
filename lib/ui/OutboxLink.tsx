import type { Texts } from "../texts/texts.ts";

/** A link to the development outbox, which shows the emails that would have been sent. */
export function OutboxLink({ texts: { development, openOutbox } }: { texts: Texts["frame"] }) {
  return (
    <p class="outbox-link">
      {development} <a href="/dev/outbox">{openOutbox}</a>
    </p>
  );
}
