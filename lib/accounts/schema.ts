import { z } from "zod";
import { issueMessage } from "../errors/problem.ts";
import { DEFAULT_CROP } from "../uploads/rules.ts";
import { ImageCrop, ImageFile } from "../uploads/schema.ts";
import { DOCUMENTED, type DocumentedRules } from "../schemas/documented_rules.ts";
import { PROFILE_FIELDS, profileField, textsBy } from "../schemas/profile_rules.ts";
import { SECOND_FACTORS, SIGN_IN_METHODS } from "../schemas/states.ts";
import { lineOf, text } from "../schemas/text.ts";
import { WebAddress } from "../schemas/user.ts";
import { EVENT_KINDS } from "../activity/kinds.ts";
import { Amount, Done, EntityId, like, listOf, maybeLike, one, Success, Time } from "../schemas/views.ts";
import { LoggedInUser, RegisteredUser } from "../users/schema.ts";

const documented: Record<string, DocumentedRules> = DOCUMENTED;

/** Longer than any tag of a language that is in use. */
const LANGUAGE_MAX = 35;

/**
 * Omitted fields do not change. An empty string clears any field except the name. Null also clears the avatar and the
 * language.
 */
export const ProfileUpdateSchema = z.object({
  ...textsBy(
    PROFILE_FIELDS,
    (field) => text(profileField(field).rules, { ...documented[field], sample: profileField(field).example }),
  ),
  avatar: WebAddress.nullable().meta({
    description: 'The address of a photo: https, or a file that this service stores. `null` and `""` mean none',
  }),
  emailVisible: z.boolean(issueMessage({ rule: "boolean" })).meta({
    description: "Whether others may see the email address. `PUBLIC_USER_EMAILS=false` hides it in any case",
  }),
  language: lineOf({ max: LANGUAGE_MAX }).nullable().meta({
    sample: "en",
    description:
      "The language of pages and emails, by its tag: `en`, `de` or `ar`, unless the operator has added others. " +
      "`null` follows the browser",
  }),
}).partial();
export type ProfileUpdate = z.infer<typeof ProfileUpdateSchema>;

/** The new photo in the form of the profile page. A form that removes the photo has none. */
export function newPhotoIn(
  { file, avatar }: { file?: ImageFile; avatar?: string | null },
): ImageFile | undefined {
  return avatar === "" ? undefined : file;
}

/** The button that shows or hides the address. */
const EmailVisible = z.enum(["true", "false"]).transform((value) => value === "true").optional();

/** The form of the profile page, with a new photo and the id of the user for whom the page was rendered. */
export const ProfileFormSchema = ProfileUpdateSchema.extend({
  emailVisible: EmailVisible,
  file: ImageFile.optional(),
  crop: ImageCrop.default(DEFAULT_CROP),
  user_id: z.string().optional(),
});

/** The form of the language page, with the id of the user for whom the page was rendered. */
export const LanguageFormSchema = ProfileUpdateSchema.pick({ language: true }).required().extend({
  user_id: z.string().optional(),
});

const Method = z.enum(SIGN_IN_METHODS).meta({
  description: "How the session was opened",
});

/** The result of a login. */
export const LoggedIn = Done.extend({ user: LoggedInUser });
/** The result of a reset. */
export const PasswordSet = Done.extend({
  methods: z.array(z.enum(SECOND_FACTORS)).optional().meta({
    description: "What completes the login; only if a second factor comes first",
  }),
});
/** The result of a registration. */
export const Registered = Done.extend({ user: RegisteredUser });
/** The result of a proof. */
export const Proved = Done.extend({ expiresAt: Time });
/** The result of closing an account. */
export const Closing = Done.extend({ deletionDueAt: Time });

/** An identity provider with which an account can log in. */
export const IdentityView = z.object({
  id: EntityId,
  provider: like("google").meta({ description: "The key of the provider" }),
  name: like("Google"),
  email: like("ada@example.com"),
});
export type IdentityView = z.infer<typeof IdentityView>;

/** How much an account may store. */
export const Quota = Amount.meta({
  description: "0 means that there is no quota, 1 that nothing can be stored",
  sample: 1_000_000_000,
});

/** One's own account. */
export const AccountView = z.object({
  id: EntityId,
  email: like("ada@example.com"),
  emailVerified: z.boolean(),
  name: like("Ada Lovelace"),
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
  groups: z.array(like("staff")).meta({ description: "The names of the groups that you are in" }),
  storage: z.object({
    usedBytes: Amount,
    quotaBytes: Quota,
  }),
});
export type AccountView = z.infer<typeof AccountView>;

/** A session as its owner sees it. */
export const SessionView = z.object({
  id: EntityId,
  current: z.boolean(),
  method: Method,
  device: like("Firefox on Linux"),
  clientAddress: maybeLike("192.0.2.1"),
  createdAt: Time,
  lastSeenAt: Time,
  expiresAt: Time,
});
export type SessionView = z.infer<typeof SessionView>;

export const DeviceView = z.object({
  id: EntityId,
  device: like("Firefox on Linux"),
  trustedUntil: Time,
  current: z.boolean(),
});
export type DeviceView = z.infer<typeof DeviceView>;

/** The facts of an event. */
export const EventDetails = z.record(z.string(), z.union([z.string(), z.boolean(), z.array(z.string())]));

/** An event as the user of its account sees it. */
export const EventView = z.object({
  id: EntityId,
  kind: z.enum(EVENT_KINDS),
  createdAt: Time,
  device: maybeLike("Firefox on Linux").meta({ description: "Null where someone else caused the event" }),
  clientAddress: maybeLike("192.0.2.1").meta({ description: "Null where someone else caused the event" }),
  details: EventDetails,
  current: z.boolean().meta({ description: "Whether it happened in the current session" }),
});
export type EventView = z.infer<typeof EventView>;

/** An app that a person has allowed something. */
/** A resource that an app may use, with the scopes that the person has allowed there. */
export const AllowedResourceView = z.object({
  resource: like("https://notes.example.com/api"),
  scopes: z.array(like("notes:read")).meta({ description: "Its scopes that you have allowed the app there" }),
});

export const ConnectedAppView = z.object({
  id: EntityId,
  clientId: like("wiki"),
  name: like("Team wiki"),
  host: maybeLike("wiki.example.com").meta({ description: "Where the app returns to; null for an app on devices" }),
  scopes: z.array(like("openid")),
  resource: maybeLike("https://notes.example.com/api").meta({ description: "The last of `resources`" }),
  resources: z.array(AllowedResourceView).meta({ description: "The APIs that it may use" }),
  firstParty: z.boolean(),
  offline: z.boolean().meta({ description: "Whether it stays connected when you log out" }),
  grants: Amount.meta({ description: "Sign-ins at the app that still count" }),
  devices: z.array(z.object({
    device: like("Firefox on Linux"),
    clientAddress: like("192.0.2.1"),
    createdAt: Time,
  })).meta({ description: "Those that asked with a code, and from where, the newest first" }),
  createdAt: Time,
  lastUsedAt: Time.meta({ description: "Unix time in whole seconds, accurate to five minutes" }),
});
export type ConnectedAppView = z.infer<typeof ConnectedAppView>;

/** The query of the list of apps. */
export const AppListSchema = z.strictObject({
  available: z.enum(["true", "false"], issueMessage({ rule: "oneOf", values: ["true", "false"] }))
    .transform((value) => value === "true").optional()
    .meta({ description: "`true` lists the apps that you may open in place of those that may use your account" }),
});

/** An app that someone may open. */
export const AvailableAppView = z.object({
  name: like("Team wiki"),
  uri: like("https://wiki.example.com").meta({ description: "Where it begins" }),
  logo: like("https://foyer.example/app-logos/wiki?v=0c2f5e1b7d3a").nullable().meta({
    description: "The address of its logo, which changes with it",
  }),
});

/** The apps that may use an account, or those that someone may open. */
export const AppList = z.union([
  z.object({ data: z.array(ConnectedAppView) }),
  z.object({ data: z.array(AvailableAppView) }),
]);
export const OneAccount = one(AccountView);
export const IdentityList = listOf(IdentityView);
export const LinkStarted = z.object({
  url: z.url().meta({
    description: "Where to send the browser",
    sample: "https://accounts.google.com/o/oauth2/v2/auth?client_id=...",
  }),
});
export const SessionList = listOf(SessionView);
export const DeviceList = listOf(DeviceView);
export const EndedSessions = Success.extend({ ended: Amount });
export const EventList = listOf(EventView);
