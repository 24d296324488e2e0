import { sql, type Transaction } from "kysely";
import { v7 } from "uuid";
import type { Database } from "../../db/schema.ts";
import type { LastProof, SignInMethod } from "./tables.ts";
import type { Client } from "../activity/client.ts";
import { recognizeDevice } from "../activity/device.ts";
import { recordEvent } from "../activity/events.ts";
import { trustDevice, useTrust } from "../activity/trusted_device.ts";
import { requireOpenDoor } from "../config/sign_in_domains.ts";
import { createToken, hashToken } from "../crypto/token.ts";
import { secondsAfter } from "../duration.ts";
import { AppError } from "../errors/errors.ts";
import { sendAlert } from "../mail/links/alert.ts";
import type { MailServices } from "../mail/links/send_email.ts";
import { recordSeen } from "../users/user_changes.ts";
import { type SecondFactor, type SecondStep, startSecondStep } from "./second_step.ts";
import { endSessions, type SessionCredential } from "./session.ts";
import { findSignInRules } from "./sign_in_rules.ts";

/** A client that opens a session, and what its browser presents. */
export interface SessionClient extends Client {
  /** Identify the browser. */
  deviceTokens: string[];
  /**
   * The public ids of the sessions that the browser holds. Their tokens end, so that no one continues in an older one.
   */
  presentedSessionIds: string[];
}

/** A session to open. */
export interface NewSession {
  userId: string;
  method: SignInMethod;
  /** The key of the identity provider, if the method is one and it is known which. */
  provider?: string;
  client: SessionClient;
  /** Whether the person has also shown the second factor. A new account has none. */
  isSecondStepDone?: boolean;
  /** The second factor, if the person has shown one. */
  secondFactor?: SecondFactor;
  /** Whether the person trusts this device from now on. */
  trustsDevice?: boolean;
}

/**
 * The ways in after which a trusted device skips the second step. Emailed links that log in are not among them. A reset
 * has ended the trust before it opens a session.
 */
const TRUSTING_METHODS: SignInMethod[] = ["password", "idp", "code"];

/**
 * Opens a session, or asks for the second factor. Every way in calls this function, in the transaction that has checked
 * the proof, so that none can forget a state of the account. A passkey is a second factor itself. A device that the
 * person trusts skips the second step; the session then has one factor, and no proof for dangerous actions. Opening a
 * session ends those that the browser holds, recognizes the browser, alerts the user if it is a new one, and records
 * the event. If the browser holds one of this user, that one is opened again, with a new token: apps stay connected to
 * it. Only the hash of the token is stored. The caller has locked the user's row.
 *
 * @returns the session, or the second step that must come first. In both cases the transaction must be committed.
 * @throws {AppError} PROVIDER_REQUIRED; ACCOUNT_SUSPENDED. Source: docs/rules.md, Session states.
 */
export async function openSession(
  trx: Transaction<Database>,
  services: MailServices,
  session: NewSession & { isSecondStepDone: true },
): Promise<SessionCredential>;
export async function openSession(
  trx: Transaction<Database>,
  services: MailServices,
  session: NewSession & { method: "passkey" },
): Promise<SessionCredential>;
export async function openSession(
  trx: Transaction<Database>,
  services: MailServices,
  session: NewSession,
): Promise<SessionCredential | SecondStep>;
export async function openSession(
  trx: Transaction<Database>,
  services: MailServices,
  session: NewSession,
): Promise<SessionCredential | SecondStep> {
  const { userId, method, client: { presentedSessionIds: sessionIds } } = session;
  const rules = await findSignInRules({ ...services, db: trx }, userId);
  const { isSuspended, secondFactors: methods, lacksSecondFactor } = rules;
  if (!passesDomains(session)) requireOpenDoor(services.config, rules.email, session.provider);
  if (isSuspended) throw new AppError("ACCOUNT_SUSPENDED");
  if (session.isSecondStepDone || method === "passkey" || methods.length === 0) {
    return { ...await insertSession(trx, services, session), lacksSecondFactor };
  }
  const deviceTokens = await trustedTokens(trx, services, session);
  if (deviceTokens !== null) {
    const trusted = { ...session, client: { ...session.client, deviceTokens } };
    return { ...await insertSession(trx, services, trusted, { skipsSecondStep: true }), lacksSecondFactor };
  }
  return { methods, token: await startSecondStep(trx, { userId, method, sessionIds, now: services.now() }) };
}

/** Returns the new tokens of the browser, if it is a trusted device and skips the second step; otherwise null. */
async function trustedTokens(
  trx: Transaction<Database>,
  { config, now }: MailServices,
  { userId, method, client }: NewSession,
): Promise<string[] | null> {
  if (!TRUSTING_METHODS.includes(method)) return null;
  return await useTrust(trx, { userId, tokens: client.deviceTokens, client }, { config, now: now() });
}

/** Such links come from the command line. A provider that is unknown now was known before the second step. */
function passesDomains({ method, provider }: NewSession): boolean {
  return method === "link" || method === "idp" && provider === undefined;
}

async function insertSession(
  trx: Transaction<Database>,
  services: MailServices,
  { userId, method, provider, client, secondFactor, trustsDevice }: NewSession,
  { skipsSecondStep = false } = {},
): Promise<SessionCredential> {
  const { config } = services;
  const now = services.now();
  const kept = await findOwnSession(trx, { userId, ids: client.presentedSessionIds, now });
  const keptId = kept?.public_id ?? null;
  const endedIds = client.presentedSessionIds.filter((id) => id !== keptId);
  await endSessions(trx, endedIds, { reason: "new_session", client, now });
  const { isNew, tokens: [own, ...others] } = await recognizeDevice(trx, { userId, tokens: client.deviceTokens, now });
  const trust = trustsDevice && config.trustDeviceSeconds > 0
    ? await trustDevice(trx, { userId, token: own, client }, { config, now })
    : null;
  const token = createToken();
  const sessionId = keptId ?? v7({ msecs: now.getTime() });
  const expiresAt = secondsAfter(now, Math.min(config.sessionTtlSeconds, config.sessionMaxSeconds));
  const opened = {
    id: hashToken(token),
    created_at: now,
    expires_at: expiresAt,
    last_seen_at: now,
    client_address: client.address,
    user_agent: client.userAgent,
    method,
    authenticated_at: now,
    second_factor: secondFactor ?? null,
    last_proof: skipsSecondStep ? "trusted_device" as const : proofBefore(kept, { config, now }),
  };
  await (keptId === null
    ? trx.insertInto("sessions").values({ ...opened, public_id: sessionId, user_id: userId })
    : trx.updateTable("sessions").set(opened).where("public_id", "=", keptId)).execute();
  await recordSeen(trx, { id: userId, now });
  if (isNew) {
    const named = config.providers.find(({ key }) => key === provider)?.name ?? method;
    const details = { method: named, trustedUntil: trust?.until };
    await sendAlert(trx, services, { kind: "new_device", userId, client, now, details });
  }
  const details = {
    method,
    ...provider !== undefined && { provider },
    newDevice: isNew,
    ...skipsSecondStep && { trustedDevice: true },
  };
  await recordEvent(trx, { kind: "session.started", userId, client, sessionId, details }, now);
  if (trust !== null) {
    const marked = { device: trust.id, until: trust.until.toISOString() };
    await recordEvent(trx, { kind: "device.trusted", userId, client, sessionId, details: marked }, now);
  }
  return { token, expiresAt, deviceTokens: [trust?.token ?? own, ...others], method };
}

/** The facts of a session that is opened again. */
interface OwnSession {
  public_id: string;
  method: SignInMethod;
  authenticated_at: Date;
  last_proof: LastProof | null;
}

/** Who has proved something else a moment ago, and logs in again, has proved both. A skipped step proves nothing. */
function proofBefore(
  kept: OwnSession | null,
  { config, now }: Pick<MailServices, "config"> & { now: Date },
): SignInMethod | null {
  if (kept === null || kept.last_proof === "trusted_device") return null;
  return now <= secondsAfter(kept.authenticated_at, config.sudoSeconds) ? kept.method : null;
}

/** Returns the newest of these sessions that is the user's, and keeps it from ending meanwhile. */
async function findOwnSession(
  trx: Transaction<Database>,
  { userId, ids, now }: { userId: string; ids: string[]; now: Date },
): Promise<OwnSession | null> {
  if (ids.length === 0) return null;
  const row = await trx.selectFrom("sessions")
    .select(["public_id", "method", "authenticated_at", "last_proof"])
    .where("public_id", "=", sql<string>`any(${ids})`)
    .where("user_id", "=", userId).where("expires_at", ">", now)
    .orderBy("created_at", "desc").orderBy("id").limit(1).forUpdate().executeTakeFirst();
  return row ?? null;
}
