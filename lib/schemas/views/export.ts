import { z } from "zod";
import { AccountView, EventView } from "./account.ts";
import { Amount, EntityId, Time } from "./common.ts";
import { ApiTokenView } from "./tokens.ts";
import { UploadView } from "./uploads.ts";
import { ProfileView } from "./users.ts";

/** Everything that is stored about a user. */
export const ExportView = z.object({
  exportedAt: Time,
  profile: ProfileView,
  account: AccountView.extend({ providerSubject: z.string().nullable(), updatedAt: Time }),
  identities: z.array(z.object({
    id: z.string(),
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
    expiresAt: Time,
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
});
export type ExportView = z.infer<typeof ExportView>;
