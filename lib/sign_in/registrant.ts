import type { Transaction } from "kysely";
import type { Database } from "../../db/schema.ts";
import { disownUploads } from "../uploads/removal.ts";
import { purgePasskeys } from "./passkeys/passkey_purge.ts";
import { type CredentialsRow, DEFAULT_NAME } from "../users/user.ts";
import type { Client } from "../activity/client.ts";
import { forgetDevices } from "../activity/device.ts";
import type { Services } from "../services.ts";

/**
 * Removes what the registrant of an unverified account has left in it, when someone proves that the address is theirs: a
 * stranger may have registered it. The caller holds the user's lock, and ends the sessions.
 *
 * @returns the profile that replaces the registrant's. An unverified account without a password comes from an invitation,
 * and keeps its name.
 */
export async function disownRegistrant(
  trx: Transaction<Database>,
  { id, name, password_hash }: CredentialsRow,
  { databaseTime, now, client }: Pick<Services, "databaseTime" | "now"> & { client: Client },
) {
  const emptied = await emptyAccount(trx, id, { databaseTime, now: now(), client });
  return { ...emptied, name: password_hash === null ? name : DEFAULT_NAME };
}

/** Removes the devices, passkeys and files of a registrant. Returns the values of an empty profile. */
export async function emptyAccount(
  trx: Transaction<Database>,
  userId: string,
  { databaseTime, now, client }: Pick<Services, "databaseTime"> & { now: Date; client: Client },
) {
  await forgetDevices(trx, { userId });
  await purgePasskeys(trx, { userId, reason: "unverified", client, now });
  await disownUploads(trx, { userId, databaseTime, now });
  return { bio: "", location: "", website: "", avatar: null };
}
