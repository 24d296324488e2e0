import type { AppEndReason, EndReason, EventKind, TokenEndReason } from "../activity/kinds.ts";
import type { ProfileTexts } from "../schemas/profile_rules.ts";
import type { SIGN_IN_METHODS } from "../schemas/states.ts";
import { listFormat } from "./formats.ts";
import { say, type Text } from "./messages.ts";
import type { Language } from "./texts.ts";

/** A text, or those among which a fact of the event chooses: its reason, method or role, or that it has no name. */
type EventText = Text | Choice;
type Choice = Record<"other", Text> & Partial<Record<string, Text>>;

/** Every kind of event has a text. Every way to log in and every reason for which something ends has its own. */
type EventTexts = Record<EventKind, EventText> & {
  "session.started": Record<typeof SIGN_IN_METHODS[number], Text>;
  "session.ended": Record<EndReason, Text>;
  "token.ended": Record<TokenEndReason, Text>;
  "app.ended": Record<AppEndReason, Text>;
};

/** Facts that its text may state, and that an event may lack. */
const UNKNOWN = { name: "", from: "", to: "", app: "", reason: "" };

/** Says what happened in an event of one's own account. A provider in its details must have its name, not its key. */
export function eventText(
  { locale, texts: { activity } }: Language,
  { kind, details }: { kind: EventKind; details: Record<string, unknown> },
): string {
  const fieldNames: ProfileTexts & Record<string, string> = activity.fields;
  const fields = listFormat(locale).format((details.fields as string[] ?? []).map((field) => fieldNames[field]));
  const text: EventText = (activity.events satisfies EventTexts)[kind];
  const said = say(chosen(text, details), { ...UNKNOWN, provider: activity.someProvider, ...details, fields });
  return said[0].toLocaleUpperCase(locale) + said.slice(1);
}

function chosen(text: EventText, { reason, method, role, name }: Record<string, unknown>): Text {
  if (typeof text !== "object") return text;
  // Events of older releases have no names of files.
  const choice = String(reason ?? method ?? role ?? (name === undefined ? "unnamed" : "other"));
  return Object.hasOwn(text, choice) ? text[choice]! : text.other;
}
