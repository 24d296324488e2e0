import { z } from "zod";
import { AccountView, EventView } from "./account.ts";
import { Amount, EntityId, Time } from "./common.ts";
import { PasskeyView } from "./passkeys.ts";
import { ApiTokenView } from "./tokens.ts";
import { UploadView } from "./uploads.ts";
import { ProfileView } from "./users.ts";

const AddressLink = z.object({ email: z.string(), used: z.boolean(), createdAt: Time, expiresAt: Time });

/** Everything that is stored about a user. */
export const ExportView = z.object({
  exportedAt: Time,
  profile: ProfileView,
  account: AccountView.extend({
    providerSubject: z.string().nullable(),
    registrationLanguage: z.string().nullable(),
    updatedAt: Time,
  }),
  secondFactor: z.object({
    authenticatorAppAddedAt: Time.nullable(),
    recoveryCodesLeft: Amount,
    recoveryCodesMadeAt: Time.nullable(),
    removalDueAt: Time.nullable(),
  }),
  passkeys: z.array(PasskeyView.extend({
    credentialId: z.string(),
    publicKey: z.string(),
    counter: Amount,
    transports: z.array(z.string()),
  })),
  identities: z.array(z.object({
    id: EntityId,
    provider: z.string(),
    subject: z.string(),
    email: z.string().nullable(),
    linkedAt: Time,
  })),
  tokens: z.array(ApiTokenView),
  sessions: z.array(z.object({
    id: EntityId,
    method: z.string(),
    device: z.string().nullable(),
    clientAddress: z.string().nullable(),
    createdAt: Time,
    lastSeenAt: Time,
    authenticatedAt: Time,
    secondFactor: z.string().nullable(),
    expiresAt: Time,
  })),
  consents: z.array(z.object({
    id: EntityId,
    clientId: z.string(),
    scopes: z.array(z.string()),
    resources: z.array(z.string()),
    createdAt: Time,
    lastUsedAt: Time,
  })),
  grants: z.array(z.object({
    id: EntityId,
    clientId: z.string(),
    sessionId: EntityId,
    offline: z.boolean(),
    scopes: z.array(z.string()),
    resource: z.string().nullable(),
    redirectUri: z.string(),
    authTime: Time,
    acr: z.string(),
    amr: z.array(z.string()),
    createdAt: Time,
    lastUsedAt: Time,
    expiresAt: Time.nullable(),
  })),
  devices: z.array(z.object({ createdAt: Time, expiresAt: Time })),
  events: z.array(EventView.omit({ current: true }).extend({ sessionId: EntityId.nullable() })),
  actions: z.array(EventView.pick({ id: true, kind: true, createdAt: true })),
  uploads: z.array(UploadView),
  posts: z.array(z.object({
    id: z.int(),
    title: z.string(),
    content: z.string(),
    published: z.boolean(),
    createdAt: Time,
  })),
  emails: z.array(z.object({
    id: EntityId,
    kind: z.string(),
    status: z.string(),
    attempts: Amount,
    createdAt: Time,
  })),
  links: z.array(z.object({
    purpose: z.string(),
    used: z.boolean(),
    expiresAt: Time,
    next: z.string().nullable(),
  })),
  emailChanges: z.array(AddressLink),
  alertLinks: z.array(AddressLink),
  factorResetLinks: z.array(AddressLink),
  codes: z.array(z.object({ purpose: z.string(), tries: Amount, expiresAt: Time })),
  waitingSignIns: z.array(z.object({ method: z.string(), tries: Amount, expiresAt: Time })),
  providerAttempts: z.array(z.object({
    purpose: z.string(),
    subject: z.string().nullable(),
    email: z.string().nullable(),
    next: z.string().nullable(),
    expiresAt: Time,
  })),
  limits: z.array(z.object({ policy: z.string(), requests: Amount, windowEndsAt: Time })),
});
export type ExportView = z.infer<typeof ExportView>;
