import type { EventKind } from "./kinds.ts";

/** The subjects by which lists to choose from sort the kinds of events. */
const EVENT_GROUPS = ["accounts", "login", "apps", "files", "administration"] as const;
export type EventGroup = typeof EVENT_GROUPS[number];

type WordOf<Kind> = Kind extends `${infer Word}.${string}` ? Word : never;

/** The subject of each kind, by the word before the dot. */
const GROUP_OF: Record<WordOf<EventKind>, EventGroup> = {
  user: "accounts",
  email: "accounts",
  account: "accounts",
  session: "login",
  login: "login",
  password: "login",
  proof: "login",
  identity: "login",
  passkey: "login",
  totp: "login",
  second_factor: "login",
  recovery_codes: "login",
  recovery_code: "login",
  device: "login",
  token: "apps",
  app: "apps",
  grant: "apps",
  client: "apps",
  upload: "files",
  admin: "administration",
  role: "administration",
  group: "administration",
  limits: "administration",
  webhook: "administration",
};

/** Sorts kinds of events into their groups. Leaves out groups without any. */
export function groupKinds(kinds: EventKind[]): [group: EventGroup, kinds: EventKind[]][] {
  const groupOf = (kind: EventKind) => GROUP_OF[kind.split(".")[0] as WordOf<EventKind>];
  return EVENT_GROUPS.map((
    group,
  ): [EventGroup, EventKind[]] => [group, kinds.filter((kind) => groupOf(kind) === group)])
    .filter(([, kinds]) => kinds.length > 0);
}
