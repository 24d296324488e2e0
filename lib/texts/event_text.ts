import type { EventKind } from "../schemas/event_kinds.ts";
import type { Texts } from "./texts.ts";

/** Says what happened in an event of one's own account. */
export function eventText(
  { events }: Texts["activity"],
  { kind, details }: { kind: EventKind; details: Record<string, unknown> },
): string {
  const text = events[kind];
  return typeof text === "function" ? text(details) : text;
}
