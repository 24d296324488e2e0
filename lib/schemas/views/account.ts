import { z } from "zod";
import { EVENT_KINDS } from "../event_kinds.ts";
import { Amount, Done, EntityId, listOf, one, Success, Time } from "./common.ts";
import { LoggedInUser, RegisteredUser } from "./users.ts";

const Method = z.enum(["password", "idp", "passkey", "invitation", "code"]).meta({
  description: "How the session was opened",
});

/** The result of a login. */
export const LoggedIn = Done.extend({ user: LoggedInUser });
/** The result of a registration. */
export const Registered = Done.extend({ user: RegisteredUser });
/** The result of a proof. */
export const Proved = Done.extend({ expiresAt: Time });
/** The result of closing an account. */
export const Closing = Done.extend({ deletionDueAt: Time });

/** An identity provider with which an account can log in. */
export const IdentityView = z.object({
  id: EntityId,
  provider: z.string().meta({ description: "The key of the provider" }),
  name: z.string(),
  email: z.string(),
});
export type IdentityView = z.infer<typeof IdentityView>;

/** One's own account. */
export const AccountView = z.object({
  id: EntityId,
  email: z.string(),
  emailVerified: z.boolean(),
  name: z.string(),
  role: z.enum(["user", "admin"]),
  language: z.string().nullable(),
  emailVisible: z.boolean(),
  hasPassword: z.boolean(),
  passkeys: Amount,
  totp: z.boolean(),
  recoveryCodesLeft: Amount,
  identities: z.array(IdentityView),
  session: z.object({ id: EntityId, method: Method, authenticatedAt: Time }).nullable().meta({
    description: "Null for API tokens",
  }),
  deletionDueAt: Time.nullable(),
  apps: Amount.meta({ description: "Connected apps" }),
  storage: z.object({
    usedBytes: Amount,
    quotaBytes: Amount.meta({ description: "0 means that there is no quota, 1 that nothing can be stored" }),
  }),
});
export type AccountView = z.infer<typeof AccountView>;

/** A session as its owner sees it. */
export const SessionView = z.object({
  id: EntityId,
  current: z.boolean(),
  method: Method,
  device: z.string(),
  clientAddress: z.string().nullable(),
  createdAt: Time,
  lastSeenAt: Time,
  expiresAt: Time,
});
export type SessionView = z.infer<typeof SessionView>;

/** The facts of an event. */
export const EventDetails = z.record(z.string(), z.union([z.string(), z.boolean(), z.array(z.string())]));

/** An event as the user of its account sees it. */
export const EventView = z.object({
  id: EntityId,
  kind: z.enum(EVENT_KINDS),
  createdAt: Time,
  device: z.string().nullable().meta({ description: "Null where someone else caused the event" }),
  clientAddress: z.string().nullable(),
  details: EventDetails,
  current: z.boolean().meta({ description: "Whether it happened in the current session" }),
});
export type EventView = z.infer<typeof EventView>;

/** An app that a person has allowed something. */
export const ConnectedAppView = z.object({
  id: EntityId,
  clientId: z.string(),
  name: z.string(),
  host: z.string().nullable().meta({ description: "Where the app returns to; null for an app on devices" }),
  scopes: z.array(z.string()),
  resource: z.string().nullable(),
  firstParty: z.boolean(),
  offline: z.boolean().meta({ description: "Whether it stays connected when you log out" }),
  grants: Amount.meta({ description: "Sign-ins at the app that still count" }),
  createdAt: Time,
  lastUsedAt: Time.meta({ description: "Unix time in whole seconds, accurate to five minutes" }),
});
export type ConnectedAppView = z.infer<typeof ConnectedAppView>;

export const ConnectedAppList = z.object({ data: z.array(ConnectedAppView) });
export const OneAccount = one(AccountView);
export const IdentityList = listOf(IdentityView);
export const LinkStarted = z.object({ url: z.url().meta({ description: "Where to send the browser" }) });
export const SessionList = listOf(SessionView);
export const EndedSessions = Success.extend({ ended: Amount });
export const EventList = listOf(EventView);
