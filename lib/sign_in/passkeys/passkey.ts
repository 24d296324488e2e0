import type { PasskeysTable } from "../tables.ts";
import type { Selectable } from "kysely";
import type { Db } from "../../../db/schema.ts";
import type { Principal } from "../../access/principal.ts";
import { unixSeconds } from "../../duration.ts";
import { AppError } from "../../errors/errors.ts";
import { PasskeyId, type PasskeyView } from "./schema.ts";
import type { Services } from "../../services/services.ts";

/** The columns of a {@linkcode Passkey}. */
export const PASSKEY_COLUMNS = ["id", "name", "created_at", "last_used_at", "backed_up", "credential_id"] as const;

/** A passkey as its owner sees it. */
export interface Passkey {
  id: string;
  name: string;
  createdAt: Date;
  lastUsedAt: Date | null;
  /** Whether it also works on other devices of its owner. */
  isBackedUp: boolean;
  /** How the authenticator names it, base64url. */
  credentialId: string;
}

/** Lists the principal's passkeys, the oldest first. */
export async function listPasskeys({ db }: Pick<Services, "db">, { user }: Principal): Promise<Passkey[]> {
  const rows = await db.selectFrom("passkeys").select(PASSKEY_COLUMNS).where("user_id", "=", user.id)
    .orderBy("id").execute();
  return rows.map(passkeyOfRow);
}

/** Whether any account has a passkey. */
export async function hasPasskeys(db: Db): Promise<boolean> {
  return await db.selectFrom("passkeys").select("id").limit(1).executeTakeFirst() !== undefined;
}

/**
 * Returns one of the principal's passkeys.
 *
 * @throws {AppError} NOT_FOUND for an unknown passkey or another user's.
 */
export async function getPasskey({ db }: Pick<Services, "db">, { user }: Principal, id: string): Promise<Passkey> {
  requirePasskeyId(id);
  const row = await db.selectFrom("passkeys").select(PASSKEY_COLUMNS)
    .where("user_id", "=", user.id).where("id", "=", id).executeTakeFirst();
  if (row === undefined) throw passkeyNotFound();
  return passkeyOfRow(row);
}

/**
 * Renames one of the principal's passkeys.
 *
 * @throws {AppError} NOT_FOUND for an unknown passkey or another user's.
 */
export async function renamePasskey(
  { db }: Pick<Services, "db">,
  { user }: Principal,
  { id, name }: { id: string; name: string },
): Promise<Passkey> {
  requirePasskeyId(id);
  const row = await db.updateTable("passkeys").set({ name }).where("user_id", "=", user.id).where("id", "=", id)
    .returning(PASSKEY_COLUMNS).executeTakeFirst();
  if (row === undefined) throw passkeyNotFound();
  return passkeyOfRow(row);
}

/**
 * Requires that a text could be the id of a passkey. PostgreSQL cannot compare every text.
 *
 * @throws {AppError} NOT_FOUND.
 */
export function requirePasskeyId(id: string): void {
  if (!PasskeyId.safeParse(id).success) throw passkeyNotFound();
}

/** Returns the error for a passkey that the account does not have. */
export function passkeyNotFound(): AppError {
  return new AppError("NOT_FOUND", { reason: "passkey" });
}

/** Turns a row into a passkey. */
export function passkeyOfRow(row: Pick<Selectable<PasskeysTable>, typeof PASSKEY_COLUMNS[number]>): Passkey {
  const { id, name, created_at: createdAt, last_used_at: lastUsedAt } = row;
  return { id, name, createdAt, lastUsedAt, isBackedUp: row.backed_up, credentialId: row.credential_id };
}

/** The fields of a passkey in the API. */
export function passkeyView({ id, name, createdAt, lastUsedAt, isBackedUp }: Passkey): PasskeyView {
  return {
    id,
    name,
    createdAt: unixSeconds(createdAt),
    lastUsedAt: lastUsedAt && unixSeconds(lastUsedAt),
    backedUp: isBackedUp,
  };
}
