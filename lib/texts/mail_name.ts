import { say, type Text } from "./messages.ts";
import type { Language, Texts } from "./texts.ts";

/** Names a kind of email by its subject, or by its heading if the subject states what only the recipient should see. */
export function mailName({ tag, texts: { mails, activity } }: Language, kind: keyof Texts["mails"]): string {
  const { subject, heading }: { subject: Text; heading: Text } = mails[kind];
  const text = typeof subject === "string" ? subject : heading;
  // It may begin with the provider, whose name here is no proper one.
  return say(text, { provider: activity.someProvider }).replace(/\p{L}/u, (first) => first.toLocaleUpperCase(tag));
}
