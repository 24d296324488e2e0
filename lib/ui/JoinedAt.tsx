/** When a person came; the same for every reader, so in UTC. */
export function JoinedAt({ date }: { date: Date }) {
  const text = date.toLocaleDateString("en-GB", { day: "numeric", month: "long", year: "numeric", timeZone: "UTC" });
  return (
    <span class="meta">
      Here since <time datetime={date.toISOString().slice(0, 10)}>{text}</time>
    </span>
  );
}
