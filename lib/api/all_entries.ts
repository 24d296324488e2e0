import { ACCOUNT } from "./account.ts";
import { ADMIN } from "./admin.ts";
import type { Entry } from "./entry.ts";
import { FILES, SERVICE } from "./service.ts";
import { PASSKEYS } from "./passkeys.ts";
import { PEOPLE } from "./people.ts";
import { SECOND_FACTOR } from "./second_factor.ts";
import { SIGN_IN } from "./sign_in.ts";
import { AUTHORIZATION_SERVER, DISCOVERY, TOKENS } from "./tokens.ts";
import { UPLOADS } from "./uploads.ts";
import { WEBHOOKS } from "./webhooks.ts";

/** The parts of the API document, in the order in which it shows them. */
export const SECTIONS: { name: string; description: string; entries: Record<string, Entry> }[] = [
  { name: "Sign-in", description: "How people sign in and prove who they are", entries: SIGN_IN },
  { name: "Second factor", description: "Authenticator apps and recovery codes", entries: SECOND_FACTOR },
  { name: "Passkeys", description: "Logging in without a password", entries: PASSKEYS },
  { name: "People", description: "Your own profile, and those of others", entries: PEOPLE },
  { name: "Account", description: "Your own account", entries: ACCOUNT },
  { name: "Tokens", description: "Programs that act for you, and products that use Foyer", entries: TOKENS },
  { name: "Discovery", description: "What apps read before they sign people in", entries: DISCOVERY },
  { name: "Apps", description: "What apps call that sign people in", entries: AUTHORIZATION_SERVER },
  { name: "Uploads", description: "Photos and files", entries: UPLOADS },
  { name: "Administration", description: "The accounts of everyone, for admins", entries: ADMIN },
  { name: "Webhooks", description: "Where events are sent, for admins", entries: WEBHOOKS },
  { name: "Service", description: "The service itself", entries: SERVICE },
];

/** The entry of every endpoint that the API document describes. */
export const DOCUMENTED = {
  ...SIGN_IN,
  ...SECOND_FACTOR,
  ...PASSKEYS,
  ...PEOPLE,
  ...ACCOUNT,
  ...TOKENS,
  ...DISCOVERY,
  ...AUTHORIZATION_SERVER,
  ...UPLOADS,
  ...ADMIN,
  ...WEBHOOKS,
  ...SERVICE,
};

/** The entry of every endpoint. */
export const ENTRIES = { ...DOCUMENTED, ...FILES };

/** The method and path of an endpoint, such as `GET /api/users/{id}`. */
export type EntryKey = keyof typeof ENTRIES;
