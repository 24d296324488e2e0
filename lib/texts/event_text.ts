import type { EventKind } from "../schemas/event_kinds.ts";
import type { Texts } from "./texts.ts";

/** Says what happened in an event of one's own account. A provider in its details must have its name, not its key. */
export function eventText(
  { events }: Texts["activity"],
  { kind, details }: { kind: EventKind; details: Record<string, unknown> },
): string {
  const text = events[kind];
  const said = typeof text === "function" ? text(details) : text;
  return said[0].toUpperCase() + said.slice(1);
}
