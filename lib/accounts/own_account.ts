import type { UserRow } from "../../db/schema.ts";
import { unixSeconds } from "../duration.ts";
import { mayUsePassword } from "../config/passwords_setting.ts";
import { AppError } from "../errors/errors.ts";
import type { AccountView } from "./schema.ts";
import type { Services } from "../services/services.ts";
import { type Identity, identityView, listIdentities } from "./identities.ts";
import type { Caller, Principal } from "../access/principal.ts";
import { groupNamesOf } from "../groups/membership.ts";
import { quotaBytesOf } from "../uploads/quota.ts";

const ACCOUNT_COLUMNS = [
  "id",
  "email",
  "name",
  "email_verified",
  "role",
  "language",
  "email_visible",
  "deletion_due_at",
] as const;

/** What people see of their own account: what it is, and how it is protected. */
export interface Account extends Pick<UserRow, typeof ACCOUNT_COLUMNS[number]> {
  hasPassword: boolean;
  passkeyCount: number;
  hasTotp: boolean;
  recoveryCodesLeft: number;
  appCount: number;
  /** The names of the groups that the person is in. */
  groups: string[];
  identities: Identity[];
}

/**
 * Returns an account as its owner sees it.
 *
 * @throws {AppError} UNAUTHENTICATED when it has been deleted.
 */
export async function getAccount(
  { db, now }: Pick<Services, "db" | "now">,
  { user }: { user: Pick<Caller["user"], "id"> },
): Promise<Account> {
  const row = await db.selectFrom("users").select(ACCOUNT_COLUMNS)
    .select((eb) => [
      eb("password_hash", "is not", null).as("hasPassword"),
      eb.exists(
        eb.selectFrom("totp_secrets").select("user_id").whereRef("user_id", "=", "users.id")
          .where("enabled_at", "is not", null),
      ).as("hasTotp"),
      eb.selectFrom("passkeys").select((passkey) => passkey.fn.countAll().as("count"))
        .whereRef("user_id", "=", "users.id").as("passkeyCount"),
      eb.selectFrom("recovery_codes").select((code) => code.fn.countAll().as("left"))
        .whereRef("user_id", "=", "users.id").as("recoveryCodesLeft"),
      eb.selectFrom("consents").select((consent) => consent.fn.countAll().as("count"))
        .whereRef("user_id", "=", "users.id").as("appCount"),
    ])
    .where("id", "=", user.id).executeTakeFirst();
  if (row === undefined) throw new AppError("UNAUTHENTICATED", { reason: "account" });
  return {
    ...row,
    hasPassword: Boolean(row.hasPassword),
    passkeyCount: Number(row.passkeyCount),
    hasTotp: Boolean(row.hasTotp),
    recoveryCodesLeft: Number(row.recoveryCodesLeft),
    appCount: Number(row.appCount),
    groups: await groupNamesOf(db, { userId: user.id, now: now() }),
    identities: await listIdentities(db, user.id),
  };
}

/** The number of ways to log in to the account. No one can log in with a provider that is no longer configured. */
export function countWaysIn(
  { hasPassword, passkeyCount, identities }: Account,
  { config, providers }: Pick<Services, "config" | "providers">,
): number {
  return Number(hasPassword && mayUsePassword(config, "open")) + passkeyCount +
    identities.filter(({ provider }) => providers.has(provider)).length;
}

/** The fields of GET /api/account. A program with an API token has no session. */
export function accountView(
  account: Account,
  { caller: { session }, config, usedBytes }: Pick<Services, "config"> & { caller: Caller; usedBytes: number },
): AccountView {
  const { id, email, name, role, language } = account;
  return {
    id,
    email,
    emailVerified: account.email_verified,
    name,
    role,
    language,
    emailVisible: account.email_visible,
    hasPassword: account.hasPassword,
    passkeys: account.passkeyCount,
    totp: account.hasTotp,
    recoveryCodesLeft: account.recoveryCodesLeft,
    identities: account.identities.map((identity) => identityView(identity, { account, config })),
    session: session === undefined ? null : sessionOf(session),
    deletionDueAt: account.deletion_due_at && unixSeconds(account.deletion_due_at),
    apps: account.appCount,
    groups: account.groups,
    storage: { usedBytes, quotaBytes: quotaBytesOf(config, account.email_verified) },
  };
}

function sessionOf({ id, method, authenticatedAt }: Principal["session"]) {
  return { id, method, authenticatedAt: unixSeconds(authenticatedAt) };
}
