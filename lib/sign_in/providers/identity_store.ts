import type { Transaction } from "kysely";
import type { Database } from "../../../db/schema.ts";
import { updateUser } from "../../users/user_changes.ts";
import { DEFAULT_PROVIDER } from "../../config/provider_settings.ts";

/** A person at a provider, and the address there. */
export interface NewIdentity {
  provider: string;
  subject: string;
  email: string;
}

type Subject = Pick<NewIdentity, "provider" | "subject">;

/** Finds the user to whom the identity belongs, or null. */
export async function findUserId(
  trx: Transaction<Database>,
  { provider, subject }: Subject,
): Promise<string | null> {
  const row = await trx.selectFrom("identities").select("user_id")
    .where("provider", "=", provider).where("subject", "=", subject).executeTakeFirst();
  return row?.user_id ?? null;
}

/** Finds the subject that a user has at a provider, or null. */
export async function findSubject(
  trx: Transaction<Database>,
  { userId, provider }: { userId: string; provider: string },
): Promise<string | null> {
  const row = await trx.selectFrom("identities").select("subject")
    .where("user_id", "=", userId).where("provider", "=", provider).executeTakeFirst();
  return row?.subject ?? null;
}

/** Whether another subject at the provider has the address. */
export async function isAddressOfOther(
  trx: Transaction<Database>,
  { provider, subject, email }: NewIdentity,
): Promise<boolean> {
  const row = await trx.selectFrom("identities").select("id")
    .where("provider", "=", provider).where("email", "=", email).where("subject", "!=", subject).executeTakeFirst();
  return row !== undefined;
}

/**
 * Adds an identity to an account. The caller holds the user's lock.
 *
 * @throws a unique violation when the subject or its address belongs to another account, or when the user already has
 * an identity at the provider.
 */
export async function insertIdentity(
  trx: Transaction<Database>,
  userId: string,
  { provider, subject, email, now }: NewIdentity & { now: Date },
): Promise<void> {
  const isDefault = provider === DEFAULT_PROVIDER;
  await updateUser(trx, { id: userId, now }, {
    provider: "idp",
    ...isDefault ? { idp_id: subject, idp_linked_at: now } : {},
  });
  // The trigger has copied the default provider's identity, but does not know its address.
  if (isDefault) return await updateAddress(trx, { provider, subject, email });
  await trx.insertInto("identities").values({ user_id: userId, provider, subject, email, linked_at: now }).execute();
}

/** Keeps the address of a known subject up to date, unless another subject has the same one. */
export async function refreshAddress(trx: Transaction<Database>, identity: NewIdentity): Promise<void> {
  if (!await isAddressOfOther(trx, identity)) await updateAddress(trx, identity);
}

async function updateAddress(trx: Transaction<Database>, { provider, subject, email }: NewIdentity): Promise<void> {
  await trx.updateTable("identities").set({ email })
    .where("provider", "=", provider).where("subject", "=", subject).where("email", "is distinct from", email)
    .execute();
}

/**
 * Removes identities of an account: the one with an id, or those added since a time. The caller holds the user's lock.
 *
 * @returns the keys of their providers.
 */
export async function removeIdentities(
  trx: Transaction<Database>,
  userId: string,
  which: { id: string } | { since: Date },
  now: Date,
): Promise<string[]> {
  const rows = await trx.deleteFrom("identities").where("user_id", "=", userId)
    .where((eb) => "id" in which ? eb("id", "=", which.id) : eb("linked_at", ">=", which.since))
    .returning("provider").execute();
  const removed = rows.map(({ provider }) => provider);
  if (removed.length === 0) return removed;
  const left = await trx.selectFrom("identities").select("id").where("user_id", "=", userId).executeTakeFirst();
  await updateUser(trx, { id: userId, now }, {
    ...left === undefined ? { provider: "email" } : {},
    ...removed.includes(DEFAULT_PROVIDER) ? { idp_id: null, idp_linked_at: null } : {},
  });
  return removed;
}
