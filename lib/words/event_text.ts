import type { EventKind } from "../schemas/event_kinds.ts";
import type { Words } from "./words.ts";

/** Says what happened in an event of one's own account. */
export function eventText(
  { events }: Words["activity"],
  { kind, details }: { kind: EventKind; details: Record<string, unknown> },
): string {
  const text = events[kind];
  return typeof text === "function" ? text(details) : text;
}
