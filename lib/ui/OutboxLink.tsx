/** In development no mail leaves the machine: this leads to those that would have. */
export function OutboxLink() {
  return (
    <p class="outbox-link">
      Development: <a href="/dev/outbox">open the outbox</a>
    </p>
  );
}
