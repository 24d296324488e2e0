import { z } from "zod";
import { TABLE_RULES, type TABLES } from "../../db/schema.ts";
import { AccountView, AllowedResourceView, EventView } from "./schema.ts";
import { Amount, EntityId, like, Time } from "../schemas/views.ts";
import { PasskeyView } from "../sign_in/passkeys/schema.ts";
import { ApiTokenView } from "../access/schema.ts";
import { UploadView } from "../uploads/schema.ts";
import { ProfileView } from "../users/schema.ts";

/** The lists of the export that the declarations of tables describe. */
export type DeclaredLists = {
  [Name in keyof typeof TABLES as Declared<typeof TABLES[Name]>["as"]]: z.ZodArray<
    Declared<typeof TABLES[Name]>["entry"]
  >;
};
type Declared<Rules> = Rules extends { exported: { as: string; entry: z.ZodObject } } ? Rules["exported"] : never;

const lists = Object.values(TABLE_RULES).flatMap(({ exported }) =>
  exported?.entry === undefined ? [] : [[exported.as, z.array(exported.entry).meta({ sample: [] })]]
);

/** Everything that is stored about a user. */
export const ExportView = z.object({
  exportedAt: Time,
  profile: ProfileView,
  account: AccountView.extend({
    providerSubject: z.string().nullable(),
    registrationLanguage: z.string().nullable(),
    lastSeenAt: Time.nullable(),
    secondFactorDueAt: Time.nullable(),
    secondFactorExtendedUntil: Time.nullable(),
    secondFactorAnnouncedAt: Time.nullable(),
    updatedAt: Time,
  }),
  secondFactor: z.object({
    authenticatorAppAddedAt: Time.nullable(),
    recoveryCodesLeft: Amount,
    recoveryCodesMadeAt: Time.nullable(),
    removalDueAt: Time.nullable(),
  }),
  passkeys: z.array(PasskeyView.extend({
    credentialId: like("ZXhhbXBsZQ"),
    publicKey: like("ZXhhbXBsZQ"),
    counter: Amount,
    transports: z.array(like("internal")),
  })),
  tokens: z.array(ApiTokenView),
  consents: z.array(z.object({
    id: EntityId,
    clientId: like("wiki"),
    scopes: z.array(like("openid")),
    resources: z.array(AllowedResourceView),
    createdAt: Time,
    lastUsedAt: Time,
  })),
  events: z.array(EventView.omit({ current: true }).extend({ sessionId: EntityId.nullable() })),
  actions: z.array(EventView.pick({ id: true, kind: true, createdAt: true })),
  uploads: z.array(UploadView),
  links: z.array(z.object({
    purpose: like("reset"),
    used: z.boolean(),
    expiresAt: Time,
    next: z.string().nullable(),
  })),
  ...Object.fromEntries(lists) as DeclaredLists,
  limits: z.array(z.object({ policy: like("login"), requests: Amount, windowEndsAt: Time })),
});
export type ExportView = z.infer<typeof ExportView>;
