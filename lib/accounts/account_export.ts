import type { Db } from "../../db/schema.ts";
import { accountView, getAccount } from "./own_account.ts";
import type { Principal } from "../access/principal.ts";
import { profileView } from "../users/user_views.ts";
import { listTokens, tokenView } from "../access/token_list.ts";
import { hasUploads } from "../config/uploads_setting.ts";
import type { User } from "../users/user_row.ts";
import { unixSeconds } from "../duration.ts";
import { allowedResources } from "../grants/consent.ts";
import type { DeclaredLists, ExportView } from "./export_schema.ts";
import { clientsOfUser } from "../limits/counted_clients.ts";
import type { Services } from "../services/services.ts";
import { usedBytes } from "../uploads/quota.ts";
import { exportActions, exportEvents, exportUploads } from "./long_lists.ts";
import { DECLARED_FIELDS, exportRows } from "./exported_rows.ts";

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
export async function exportAccount(services: Services, principal: Principal): Promise<ExportFields> {
  const { config, db, now } = services;
  const { user } = principal;
  const declared = Array.from(DECLARED_FIELDS, ([field, tables]) => [field, () => exportRows(db, tables, user.id)]);
  const fields: ExportFields = {
    exportedAt: () => unixSeconds(now()),
    profile: () => profileView(user),
    account: () => exportAccountFacts(services, principal),
    secondFactor: () => exportSecondFactor(db, user.id),
    passkeys: () => exportPasskeys(db, user.id),
    consents: () => exportConsents(db, user.id),
    tokens: async () => (await listTokens(services, user)).map(tokenView),
    events: () => exportEvents(db, user.id),
    actions: () => exportActions(db, user.id),
    uploads: () => exportUploads(services, user.id),
    links: () => exportLinks(db, user.id),
    limits: () => exportLimits(db, user),
    ...Object.fromEntries(declared) as Pick<ExportFields, keyof DeclaredLists>,
  };
  const mentionsUploads = hasUploads(config, "photos") || await usedBytes(db, user.id) > 0;
  return mentionsUploads ? fields : withoutUploads(fields);
}

/** Leaves out what an account without photos and files does not have where UPLOADS switches them off. */
function withoutUploads(fields: ExportFields): ExportFields {
  return {
    ...without("uploads", fields),
    profile: async () => without("avatar", await fields.profile()),
    account: async () => without("storage", await fields.account()),
  };
}

function without<Fields extends object>(name: keyof Fields, { ...fields }: Fields): Fields {
  delete fields[name];
  return fields;
}

async function exportAccountFacts(services: Services, principal: Principal): Promise<ExportView["account"]> {
  const { db, config } = services;
  const { user } = principal;
  const account = await getAccount(services, principal);
  const view = accountView(account, { caller: principal, config, usedBytes: await usedBytes(db, user.id) });
  return { ...view, ...await exportOtherColumns(db, user) };
}

function timeOf(date: Date | null): number | null {
  return date && unixSeconds(date);
}

async function exportOtherColumns(db: Db, { id }: User) {
  const row = await db.selectFrom("users")
    .select(["idp_id", "registration_language", "last_seen_at", "updated_at"])
    .select(["second_factor_due_at", "second_factor_extended_until", "second_factor_announced_at"])
    .where("id", "=", id).executeTakeFirstOrThrow();
  return {
    providerSubject: row.idp_id,
    registrationLanguage: row.registration_language,
    lastSeenAt: row.last_seen_at && unixSeconds(row.last_seen_at),
    secondFactorDueAt: timeOf(row.second_factor_due_at),
    secondFactorExtendedUntil: timeOf(row.second_factor_extended_until),
    secondFactorAnnouncedAt: timeOf(row.second_factor_announced_at),
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

/** What the user has allowed apps. */
async function exportConsents(db: Db, userId: string) {
  const rows = await db.selectFrom("consents")
    .select(["id", "client_id", "scopes", "resources", "resource_scopes as resourceScopes"])
    .select(["created_at", "last_used_at"])
    .where("user_id", "=", userId).orderBy("id").execute();
  return rows.map(({ id, client_id: clientId, scopes, created_at, last_used_at, ...allowance }) => ({
    id,
    clientId,
    scopes,
    resources: allowedResources(allowance),
    createdAt: unixSeconds(created_at),
    lastUsedAt: unixSeconds(last_used_at),
  }));
}

/** The emailed links that are stored, without their tokens. */
async function exportLinks(db: Db, userId: string) {
  const tables = {
    verification: "email_verification_tokens",
    password: "password_reset_tokens",
    login: "login_link_tokens",
  } as const;
  const links = Object.entries(tables).map(async ([purpose, table]) => {
    const rows = await db.selectFrom(table).select(["used", "expires_at", "next"]).where("user_id", "=", userId)
      .orderBy("id").execute();
    return rows.map(({ used, expires_at, next }) => ({ purpose, used, expiresAt: unixSeconds(expires_at), next }));
  });
  return (await Promise.all(links)).flat();
}

/** How often the limits have counted the user and their address. */
async function exportLimits(db: Db, { id, email }: User) {
  const rows = await db.selectFrom("rate_limits").select(["policy", "requests", "window_ends_at"])
    .where("client", "in", clientsOfUser({ id, email })).orderBy("policy").execute();
  return rows.map(({ policy, requests, window_ends_at }) => ({
    policy,
    requests,
    windowEndsAt: unixSeconds(window_ends_at),
  }));
}
