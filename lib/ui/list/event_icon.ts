import type { EventKind } from "../../schemas/event_kinds.ts";
import type { IconName } from "./Row.tsx";

/** By the first part of the kind of an event. */
const ICONS: Record<string, IconName> = {
  user: "person",
  email: "mail",
  password: "key",
  session: "enter",
  login: "warning",
  proof: "warning",
  identity: "link",
  passkey: "key",
  totp: "shield",
  recovery_codes: "shield",
  recovery_code: "shield",
  token: "program",
  app: "program",
  client: "program",
  grant: "warning",
  account: "person",
  role: "person",
  upload: "file",
  limits: "shield",
  webhook: "link",
};

/** Returns the picture for a kind of event. */
export function eventIcon(kind: EventKind): IconName {
  return kind === "session.ended" ? "leave" : ICONS[kind.split(".")[0]];
}
