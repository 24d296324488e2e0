import type { Db } from "../../db/schema.ts";
import { findMissingFactor, findSecondFactorDuty, type SecondFactorDuty } from "../access/second_factor_duty.ts";
import { type ListedSession, listSessionsOf } from "../access/session_list.ts";
import { type ListedToken, listTokens } from "../access/token_list.ts";
import { getAccount } from "../accounts/own_account.ts";
import { mayUsePassword } from "../config/passwords_setting.ts";
import { requiredProvider } from "../config/sign_in_domains.ts";
import { type Identity, providerName } from "../accounts/identities.ts";
import { type AuditedEvent, listAudit } from "../activity/audit_list.ts";
import { listGroupsOf, type Membership } from "../groups/membership.ts";
import { type ListedMail, listMails } from "../mail/outbox_list.ts";
import type { Services } from "../services/services.ts";
import { quotaBytesOf, usedBytes } from "../uploads/quota.ts";
import { avatarAddress } from "../users/user_row.ts";
import { statusOf } from "../users/user_status.ts";
import { lastSeen, type ListedAccount } from "./account_list.ts";
import { getAccountId } from "./locked_account.ts";
import { clientsOfAccount, clientsOfAddresses, type LimitInForce, limitsOf } from "./limits.ts";

const EVENTS = 50;
const MAILS = 50;

/** How someone can prove who they are. */
export interface WaysIn {
  /** Whether there is a password that opens something. */
  hasPassword: boolean;
  /** Whether an emailed link can set one. Otherwise, it logs in once. */
  canReset: boolean;
  passkeys: number;
  /** Without one that is configured, no one can log in with it. */
  providers: { name: string; email: string | null; isConfigured: boolean }[];
  /** The name of the only provider with which someone with this address can log in; null if it does not matter. */
  onlyProvider: string | null;
  /** Whether a code that is emailed to the address logs in. */
  emailedCodes: boolean;
}

/** All that an operator needs to help someone. It holds no secrets. */
export interface AccountReport extends Omit<ListedAccount, "lastSeenAt"> {
  suspendedAt: Date | null;
  suspensionReason: string | null;
  deletionDueAt: Date | null;
  waysIn: WaysIn;
  factors: { totp: boolean; recoveryCodesLeft: number; passkeys: number; removalDueAt: Date | null };
  /** That they must have one; null if it is their own choice. */
  secondFactorDuty: SecondFactorDuty | null;
  /** Whether they have none, and SECOND_FACTOR or an app that they may use demands one. */
  lacksSecondFactor: boolean;
  sessions: { count: number; lastSeenAt: Date | null; list: ListedSession[] };
  tokens: ListedToken[];
  /** The groups, and who says so. */
  groups: Membership[];
  identities: Identity[];
  storage: { usedBytes: number; quotaBytes: number };
  /** What counts against the limits of the account, and of the addresses in its last events. */
  limits: LimitInForce[];
  /** The newest emails. */
  mails: ListedMail[];
  /** The newest events. */
  events: AuditedEvent[];
}

/**
 * Reports on one account.
 *
 * @param viewer.sessionId the session of the request, which may be one of the account.
 * @throws {AppError} NOT_FOUND.
 */
export async function reportAccount(
  services: Services,
  who: string,
  { sessionId }: { sessionId?: string } = {},
): Promise<AccountReport> {
  const { db } = services;
  const id = await getAccountId(db, who);
  const [row, account] = [await findFacts(db, id), await getAccount(services, { user: { id } })];
  const events = await listAudit(db, { userId: id, limit: EVENTS });
  const own = events.filter(({ actor }) => actor === null || (typeof actor === "object" && actor.id === id));
  const addresses = new Set(own.flatMap(({ clientAddress }) => clientAddress ?? []));
  const clients = [...await clientsOfAccount(db, account), ...clientsOfAddresses([...addresses])];
  const sessions = await listSessionsOf(services, { userId: id, currentId: sessionId });
  const onlyProvider = requiredProvider(services.config, account.email);
  const { passkeyCount: passkeys, hasTotp: totp, recoveryCodesLeft } = account;
  return {
    id,
    name: account.name,
    email: account.email,
    avatar: avatarAddress(row.avatar, services),
    emailVerified: account.email_verified,
    role: account.role,
    status: statusOf(row),
    createdAt: row.created_at,
    suspendedAt: row.suspended_at,
    suspensionReason: row.suspension_reason,
    deletionDueAt: row.deletion_due_at,
    waysIn: {
      hasPassword: account.hasPassword && mayUsePassword(services.config, "open"),
      canReset: mayUsePassword(services.config, account.hasPassword ? "open" : "first"),
      passkeys,
      providers: account.identities.map(({ provider, email }) => ({
        name: providerName(services.config, provider),
        email,
        isConfigured: services.providers.has(provider),
      })),
      onlyProvider: onlyProvider === null ? null : providerName(services.config, onlyProvider),
      emailedCodes: services.config.signInCodes,
    },
    factors: { totp, recoveryCodesLeft, passkeys, removalDueAt: row.removalDueAt },
    secondFactorDuty: await findSecondFactorDuty(services, account),
    lacksSecondFactor: await findMissingFactor(services, account) !== null,
    sessions: { count: sessions.length, lastSeenAt: row.lastSeenAt, list: sessions },
    tokens: await listTokens(services, { id }),
    groups: await listGroupsOf(db, { userId: id, now: services.now() }),
    identities: account.identities,
    storage: {
      usedBytes: await usedBytes(db, id),
      quotaBytes: quotaBytesOf(services.config, account.email_verified),
    },
    limits: await limitsOf(services, clients),
    mails: await listMails(db, { userId: id, limit: MAILS }),
    events,
  };
}

async function findFacts(db: Db, id: string) {
  return await db.selectFrom("users")
    .select(["avatar", "created_at", "email_verified", "suspended_at", "suspension_reason", "deletion_due_at"])
    .select((eb) => [
      eb.selectFrom("factor_resets").select("due_at").whereRef("user_id", "=", "users.id").as("removalDueAt"),
      lastSeen.as("lastSeenAt"),
    ])
    .where("id", "=", id).executeTakeFirstOrThrow();
}
