import type { EventKind } from "../activity/kinds.ts";
import { eventText } from "./event_text.ts";
import type { Language } from "./texts.ts";

/** The name of a kind of event, to an admin who chooses among all. */
export function eventKindName({ texts }: Language, kind: EventKind): string {
  const names: Record<EventKind, string> = texts.admin.log.kindNames;
  return names[kind];
}

/** Says what happened in an event, to an admin: most texts speak to no one, and the others have another one here. */
export function adminEventText(
  language: Language,
  event: { kind: EventKind; details: Record<string, unknown> },
): string {
  const { kinds } = language.texts.admin.log;
  const { kind, details } = event;
  if (kind === "user.registered" && details.method === "invitation") return kinds.invited;
  if (kind === "role.changed") return details.role === "admin" ? kinds.promoted : kinds.demoted;
  // The log shows the reason of an act beside it.
  if (kind === "email.requested" || kind === "limits.cleared" || kind === "upload.opened") return kinds[kind];
  return eventText(language, event);
}
