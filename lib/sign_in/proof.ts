import { eventBy, type Principal } from "../access/principal.ts";
import { findMissingFactor } from "../access/second_factor_duty.ts";
import type { ActiveSession } from "../access/session.ts";
import type { SessionProof } from "../access/tables.ts";
import { isAddressAssumed } from "../accounts/first_admin.ts";
import { type AccountEvent, recordEvent } from "../activity/events.ts";
import type { Transaction } from "kysely";
import type { Database } from "../../db/schema.ts";
import { mayUsePassword } from "../config/passwords_setting.ts";
import { secondsAfter, unixSeconds } from "../duration.ts";
import { AppError, type ProofKind, type ProofMethod } from "../errors/errors.ts";
import type { Services } from "../services/services.ts";
import { countAttempt } from "../limits/rate_limit.ts";
import { lockUser } from "../users/user_lock.ts";

/**
 * Returns the ways in which an account can prove again who it is. An emailed code is for accounts without any other.
 */
export async function listProofMethods(
  { config, db }: Pick<Services, "config" | "db">,
  userId: string,
): Promise<ProofMethod[]> {
  const row = await db.selectFrom("users").leftJoin("totp_secrets", "totp_secrets.user_id", "users.id")
    .select((eb) => [
      eb("password_hash", "is not", null).as("hasPassword"),
      eb("totp_secrets.enabled_at", "is not", null).as("hasTotp"),
      eb.exists(eb.selectFrom("passkeys").select("id").whereRef("passkeys.user_id", "=", "users.id")).as("hasPasskey"),
    ])
    .where("users.id", "=", userId).executeTakeFirst();
  const methods: ProofMethod[] = [
    ...row?.hasPassword && mayUsePassword(config, "open") ? ["password" as const] : [],
    ...row?.hasTotp ? ["totp" as const] : [],
    ...row?.hasPasskey ? ["passkey" as const] : [],
  ];
  return methods.length > 0 ? methods : ["code"];
}

const SECOND_FACTORS: readonly ProofMethod[] = ["totp", "passkey"];

/** Returns those of them that prove a second factor: with one, a session that began with one factor has two. */
export async function listSecondFactors(
  services: Pick<Services, "config" | "db">,
  userId: string,
): Promise<ProofMethod[]> {
  return (await listProofMethods(services, userId)).filter((method) => SECOND_FACTORS.includes(method));
}

/** What the rules about proofs need to know. */
export type ProofServices = Pick<Services, "config" | "db" | "now">;

/** What a proof is for: any dangerous act, or one that adds a second factor or another way in. */
export type ProofUse = "act" | "access";

/**
 * Whether the way that opened the session does not count as a proof. A stolen password alone must neither set up the
 * second factor that is demanded of its owner, nor add a way in to do so later. While a session waits for the factor,
 * this holds for every act. It does not hold for people whose only way in is the mailbox, nor for addresses that nobody
 * has confirmed: no code might arrive.
 */
export async function needsOtherProof(
  services: ProofServices,
  { isWaiting, method, user }: ActiveSession,
  use: ProofUse,
): Promise<boolean> {
  if (isWaiting) return method !== "code" || await hasOtherWayIn(services, user.id);
  if (use === "act" || !user.emailVerified) return false;
  const missing = await findMissingFactor(services, user);
  if (missing === null || missing.isExtended) return false;
  if (await isAddressAssumed(services.db, user.id)) return false;
  return method !== "code" || (await listProofMethods(services, user.id)).includes("password");
}

/** Whether someone has a password that opens something, can get one by email, or logs in with a provider. */
async function hasOtherWayIn(services: ProofServices, userId: string): Promise<boolean> {
  const { config, db } = services;
  if (mayUsePassword(config, "first") || (await listProofMethods(services, userId)).includes("password")) return true;
  const linked = await db.selectFrom("identities").select("provider").where("user_id", "=", userId).execute();
  return linked.some(({ provider }) => config.providers.some(({ key }) => key === provider));
}

/** Returns the ways in which the person of a session can prove again who they are. */
export async function listSessionProofs(
  services: ProofServices,
  session: ActiveSession,
  use: ProofUse = "act",
): Promise<ProofMethod[]> {
  const methods = await listProofMethods(services, session.user.id);
  if (!await needsOtherProof(services, session, use)) return methods;
  return session.method === "code" ? methods.filter((method) => method === "password") : ["code"];
}

/** Returns those of them that count for any use. */
export async function listAllSessionProofs(services: ProofServices, session: ActiveSession): Promise<ProofMethod[]> {
  const lists = [await listSessionProofs(services, session), await listSessionProofs(services, session, "access")];
  return [...new Set(lists.flat())];
}

/** Whether two proofs show the same. Who accepts an invitation chooses the password. */
function isSameWay(one: SessionProof, other: SessionProof): boolean {
  const wayOf = (proof: SessionProof) => proof === "invitation" ? "password" : proof;
  return wayOf(one) === wayOf(other);
}

/** Returns when the last proof of a session stops counting. */
function proofExpiresAt({ config }: Pick<Services, "config">, { authenticatedAt }: ActiveSession): Date {
  return secondsAfter(authenticatedAt, config.sudoSeconds);
}

/** The fields that the API returns after a proof. */
export function proofView(services: Pick<Services, "config">, session: ActiveSession) {
  return { expiresAt: unixSeconds(proofExpiresAt(services, session)) };
}

/**
 * Whether the person has recently proved who they are; in two ways, if that is needed. A login that skipped the second
 * step on a trusted device is no proof.
 */
export async function hasRecentProof(
  services: ProofServices,
  session: ActiveSession,
  use: ProofUse = "act",
): Promise<boolean> {
  if (session.lastProof === "trusted_device" || services.now() > proofExpiresAt(services, session)) return false;
  return isOtherProof(session) || !await needsOtherProof(services, session, use);
}

/** Whether the last proof was another way than that which opened the session. */
function isOtherProof({ method, lastProof }: ActiveSession): boolean {
  return lastProof !== null && lastProof !== "trusted_device" && !isSameWay(lastProof, method);
}

/**
 * Requires that the person has recently proved who they are. Every dangerous action calls it.
 *
 * @throws {AppError} REAUTHENTICATION_REQUIRED, with the ways in which the account can do so.
 */
export async function requireRecentProof(
  services: ProofServices,
  { session }: Principal,
  use?: ProofUse,
): Promise<void> {
  if (!await hasRecentProof(services, session, use)) {
    throw proofRequired(await listSessionProofs(services, session, use));
  }
}

/**
 * Returns the error for an action that requires a recent proof.
 *
 * @param field the field of a form that asks for the proof.
 */
export function proofRequired(methods: ProofMethod[], field?: string): AppError {
  return new AppError("REAUTHENTICATION_REQUIRED", { methods, ...(field !== undefined && { field }) });
}

/** What someone enters as a proof, and the field of the input that holds it. */
interface EnteredProof {
  proof: ProofKind;
  field: string;
}

/** A proof to check. */
export interface ProofCheck extends EnteredProof {
  isRight(): Promise<boolean>;
  /** What to record for a wrong proof, in the events of the account whose proof it is. */
  wrong: AccountEvent;
  /** For whom a wrong proof counts. By default, for the account. */
  countedFor?: string;
  /** What a wrong proof causes, in the transaction that records it and has locked the user's row. */
  onWrong?(trx: Transaction<Database>): Promise<void>;
}

/** Returns the event of a wrong proof in a session. Whether it was the owner who entered it is unknown. */
export function wrongProof(principal: Principal, reason: string): AccountEvent {
  return { ...eventBy(principal), actorId: null, kind: "proof.failed", details: { reason } };
}

/**
 * Checks a proof under the limit of its account: wrong ones count and are recorded, right ones do not and are not. A
 * refused one is not recorded, so the limit also bounds the events.
 *
 * @throws {AppError} RATE_LIMITED, PROOF_WRONG.
 */
export async function checkProof(services: Services, check: ProofCheck): Promise<void> {
  const { isRight, wrong, countedFor = `user:${wrong.userId}` } = check;
  await using attempt = await countAttempt(services, { policy: "proof", clients: [countedFor] });
  try {
    if (await isRight()) return;
    await recordWrongProof(services, check);
    throw proofWrong(check);
  } catch (error) {
    attempt.hasFailed = isWrongProof(error);
    throw error;
  }
}

/** Whether an error says that a proof is wrong. */
export function isWrongProof(error: unknown): boolean {
  return error instanceof AppError && error.is("PROOF_WRONG");
}

/** Records a wrong proof in a transaction of its own, because the caller's ends with an error. */
async function recordWrongProof({ db, now }: Services, { wrong, onWrong }: ProofCheck): Promise<void> {
  await db.transaction().execute(async (trx) => {
    if (await lockUser(trx, wrong.userId) === null) return;
    await recordEvent(trx, wrong, now());
    await onWrong?.(trx);
  });
}

/** Returns the error for a wrong proof. */
export function proofWrong({ proof, field }: EnteredProof): AppError {
  return new AppError("PROOF_WRONG", { proof, field });
}
