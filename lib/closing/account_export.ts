import type { Db } from "../../db/schema.ts";
import { accountView, getAccount } from "../accounts/account.ts";
import type { AddressTokenTable } from "../mail/kinds.ts";
import type { Principal } from "../access/principal.ts";
import { profileView } from "../users/user_views.ts";
import { listTokens, tokenView } from "../access/token_list.ts";
import type { User } from "../users/user_row.ts";
import { hashToken } from "../crypto/token.ts";
import { unixSeconds } from "../duration.ts";
import type { ExportView } from "../schemas/views/export.ts";
import type { Services } from "../services.ts";
import { usedBytes } from "../uploads/quota.ts";
import {
  exportActions,
  exportDevices,
  exportEmails,
  exportEvents,
  exportGrants,
  exportPosts,
  exportSessions,
  exportUploads,
} from "./long_lists.ts";

/** The fields of an export. Each is read when it is called; the lists that may be long come in pages. */
export type ExportFields = {
  [Field in keyof ExportView]: () =>
    | ExportView[Field]
    | Promise<ExportView[Field]>
    | (ExportView[Field] extends (infer Item)[] ? AsyncIterable<Item[]> : never);
};

/**
 * Returns everything that is stored about a user, without secrets and without the data of other people. Times are Unix
 * seconds.
 *
 * Each field shows the account as it is when the field is read. An export of one moment would need a transaction for as
 * long as the slowest client reads, and the embedded engine has only one connection.
 */
export function exportAccount(services: Services, principal: Principal): ExportFields {
  const { db, now } = services;
  const { user } = principal;
  return {
    exportedAt: () => unixSeconds(now()),
    profile: () => profileView(user),
    account: () => exportAccountFacts(services, principal),
    secondFactor: () => exportSecondFactor(db, user.id),
    identities: () => exportIdentities(db, user.id),
    passkeys: () => exportPasskeys(db, user.id),
    sessions: () => exportSessions(db, user.id),
    consents: () => exportConsents(db, user.id),
    grants: () => exportGrants(db, user.id),
    devices: () => exportDevices(db, user.id),
    tokens: async () => (await listTokens(services, user)).map(tokenView),
    events: () => exportEvents(db, user.id),
    actions: () => exportActions(db, user.id),
    uploads: () => exportUploads(services, user.id),
    posts: () => exportPosts(db, user.id),
    emails: () => exportEmails(db, user.id),
    links: () => exportLinks(db, user.id),
    emailChanges: () => exportAddressTokens(db, "email_change_tokens", user.id),
    alertLinks: () => exportAddressTokens(db, "not_me_tokens", user.id),
    factorResetLinks: async () => [
      ...await exportAddressTokens(db, "factor_reset_tokens", user.id),
      ...await exportAddressTokens(db, "factor_reset_stop_tokens", user.id),
    ],
    codes: () => exportCodes(db, user.id),
    waitingSignIns: () => exportWaitingSignIns(db, user.id),
    providerAttempts: () => exportProviderAttempts(db, user.id),
    limits: () => exportLimits(db, user),
  };
}

async function exportAccountFacts(services: Services, principal: Principal): Promise<ExportView["account"]> {
  const { db, config } = services;
  const { user } = principal;
  const account = await getAccount(services, principal);
  const view = accountView(account, { caller: principal, config, usedBytes: await usedBytes(db, user.id) });
  return { ...view, ...await exportOtherColumns(db, user) };
}

async function exportOtherColumns(db: Db, { id }: User) {
  const row = await db.selectFrom("users").select(["idp_id", "registration_language", "updated_at"])
    .where("id", "=", id).executeTakeFirstOrThrow();
  return {
    providerSubject: row.idp_id,
    registrationLanguage: row.registration_language,
    updatedAt: unixSeconds(row.updated_at),
  };
}

/** A passkey's public key and counter are no secrets: they only verify what its owner signs. */
async function exportPasskeys(db: Db, userId: string) {
  const rows = await db.selectFrom("passkeys")
    .select([
      "id",
      "name",
      "credential_id",
      "public_key",
      "counter",
      "transports",
      "backed_up",
      "created_at",
      "last_used_at",
    ])
    .where("user_id", "=", userId).orderBy("id").execute();
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    credentialId: row.credential_id,
    publicKey: row.public_key,
    counter: Number(row.counter),
    transports: row.transports,
    backedUp: row.backed_up,
    createdAt: unixSeconds(row.created_at),
    lastUsedAt: row.last_used_at && unixSeconds(row.last_used_at),
  }));
}

async function exportSecondFactor(db: Db, userId: string) {
  const totp = await db.selectFrom("totp_secrets").select("enabled_at").where("user_id", "=", userId)
    .executeTakeFirst();
  const codes = await db.selectFrom("recovery_codes").select("created_at").where("user_id", "=", userId).execute();
  const reset = await db.selectFrom("factor_resets").select("due_at").where("user_id", "=", userId).executeTakeFirst();
  return {
    authenticatorAppAddedAt: totp?.enabled_at ? unixSeconds(totp.enabled_at) : null,
    recoveryCodesLeft: codes.length,
    recoveryCodesMadeAt: codes.length > 0 ? unixSeconds(codes[0].created_at) : null,
    removalDueAt: reset === undefined ? null : unixSeconds(reset.due_at),
  };
}

async function exportIdentities(db: Db, userId: string) {
  const rows = await db.selectFrom("identities").select(["id", "provider", "subject", "email", "linked_at"])
    .where("user_id", "=", userId).orderBy("linked_at").orderBy("id").execute();
  return rows.map(({ linked_at, ...identity }) => ({ ...identity, linkedAt: unixSeconds(linked_at) }));
}

/** What the user has allowed apps. */
async function exportConsents(db: Db, userId: string) {
  const rows = await db.selectFrom("consents")
    .select(["id", "client_id", "scopes", "resources", "created_at", "last_used_at"])
    .where("user_id", "=", userId).orderBy("id").execute();
  return rows.map(({ id, client_id: clientId, scopes, resources, created_at, last_used_at }) => ({
    id,
    clientId,
    scopes,
    resources,
    createdAt: unixSeconds(created_at),
    lastUsedAt: unixSeconds(last_used_at),
  }));
}

/** The emailed links that are stored, without their tokens. */
async function exportLinks(db: Db, userId: string) {
  const tables = { verification: "email_verification_tokens", password: "password_reset_tokens" } as const;
  const links = Object.entries(tables).map(async ([purpose, table]) => {
    const rows = await db.selectFrom(table).select(["used", "expires_at", "next"]).where("user_id", "=", userId)
      .orderBy("id").execute();
    return rows.map(({ used, expires_at, next }) => ({ purpose, used, expiresAt: unixSeconds(expires_at), next }));
  });
  return (await Promise.all(links)).flat();
}

/** The emailed links that are tied to an address, without their tokens. */
async function exportAddressTokens(db: Db, table: AddressTokenTable, userId: string) {
  const rows = await db.selectFrom(table).select(["email", "used", "created_at", "expires_at"])
    .where("user_id", "=", userId).orderBy("id").execute();
  return rows.map(({ email, used, created_at, expires_at }) => ({
    email,
    used,
    createdAt: unixSeconds(created_at),
    expiresAt: unixSeconds(expires_at),
  }));
}

async function exportCodes(db: Db, userId: string) {
  const rows = await db.selectFrom("emailed_codes").select(["purpose", "tries", "expires_at"])
    .where("user_id", "=", userId).orderBy("purpose").execute();
  return rows.map(({ purpose, tries, expires_at }) => ({ purpose, tries, expiresAt: unixSeconds(expires_at) }));
}

/** The sign-ins that wait for the second factor. */
async function exportWaitingSignIns(db: Db, userId: string) {
  const rows = await db.selectFrom("second_step_challenges").select(["method", "tries", "expires_at"])
    .where("user_id", "=", userId).orderBy("expires_at").execute();
  return rows.map(({ method, tries, expires_at }) => ({ method, tries, expiresAt: unixSeconds(expires_at) }));
}

async function exportProviderAttempts(db: Db, userId: string) {
  const rows = await db.selectFrom("provider_attempts").select(["purpose", "subject", "email", "next", "expires_at"])
    .where("user_id", "=", userId).orderBy("expires_at").execute();
  return rows.map(({ expires_at, ...attempt }) => ({ ...attempt, expiresAt: unixSeconds(expires_at) }));
}

/** How often the limits have counted the user and their address. */
async function exportLimits(db: Db, { id, email }: User) {
  const rows = await db.selectFrom("rate_limits").select(["policy", "requests", "window_ends_at"])
    .where("client", "in", [`user:${id}`, `email:${hashToken(email)}`]).orderBy("policy").execute();
  return rows.map(({ policy, requests, window_ends_at }) => ({
    policy,
    requests,
    windowEndsAt: unixSeconds(window_ends_at),
  }));
}
