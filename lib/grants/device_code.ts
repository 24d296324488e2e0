import { randomInt } from "node:crypto";
import { sql } from "kysely";
import type { Db } from "../../db/schema.ts";
import type { Config } from "../config/config.ts";
import { deriveKeys } from "../crypto/derived_key.ts";
import { MINUTE_SECONDS, secondsAfter } from "../duration.ts";

/** How long the code of a device works. */
export const DEVICE_CODE_SECONDS = 10 * MINUTE_SECONDS;
/** How long a device waits between two polls at first, and how much longer after each that came too early. */
export const POLL_SECONDS = 5;
/** Consonants, so that no code is a word, without those that look like digits. Source: RFC 8628, 6.1. */
const LETTERS = "BCDFGHJKLMNPQRSTVWXZ";
const LETTER_COUNT = 8;
const HALF = LETTER_COUNT / 2;

type Secrets = Pick<Config, "appSecret" | "previousAppSecrets">;

/** The request of a device, which a person answers on another one. */
export interface DeviceRequest {
  /** SHA-256 of the code of the device. */
  id: string;
  clientId: string;
  scopes: string[];
  resource: string | null;
  address: string;
  userAgent: string | null;
  /** Who has typed the code first; null before that. */
  userId: string | null;
  answer: "allowed" | "denied" | null;
  createdAt: Date;
  expiresAt: Date;
}

/** Creates the code that a person types, such as `WDJB-MJHT`. */
export function createUserCode(): string {
  const letters = Array.from({ length: LETTER_COUNT }, () => LETTERS[randomInt(LETTERS.length)]).join("");
  return `${letters.slice(0, HALF)}-${letters.slice(HALF)}`;
}

/** Inserts a request that waits for an answer. */
export async function insertDeviceRequest(
  db: Db,
  { userCode, now, ...request }: Omit<DeviceRequest, "userId" | "answer" | "createdAt" | "expiresAt"> & {
    userCode: string;
    now: Date;
  },
  config: Secrets,
): Promise<void> {
  const [userCodeHash] = await hashesOf(userCode, config);
  await db.insertInto("device_codes").values({
    id: request.id,
    user_code_hash: userCodeHash,
    client_id: request.clientId,
    scopes: request.scopes,
    resource: request.resource,
    client_address: request.address,
    user_agent: request.userAgent,
    interval_seconds: POLL_SECONDS,
    created_at: now,
    expires_at: secondsAfter(now, DEVICE_CODE_SECONDS),
  }).execute();
}

/** Finds the request of a code that a device presents, or null. */
export async function findDeviceRequest(db: Db, id: string): Promise<DeviceRequest | null> {
  const row = await db.selectFrom("device_codes").select(COLUMNS).where("id", "=", id).executeTakeFirst();
  return row === undefined ? null : toRequest(row);
}

/**
 * Claims a request that waits for an answer: from then on, no one else can answer it. Of several people at once, one
 * gets it.
 *
 * @returns null for a code that is wrong, expired, answered, or claimed by someone else.
 */
export async function claimDeviceRequest(
  db: Db,
  { userCode, userId, now }: { userCode: string; userId: string; now: Date },
  config: Secrets,
): Promise<DeviceRequest | null> {
  const hashes = await hashesOf(userCode, config);
  const row = await db.updateTable("device_codes").set({ user_id: userId })
    .where("user_code_hash", "=", sql<string>`any(${hashes})`)
    .where("expires_at", ">", now).where("answer", "is", null)
    .where((where) => where.or([where("user_id", "is", null), where("user_id", "=", userId)]))
    .returning(COLUMNS).executeTakeFirst();
  return row === undefined ? null : toRequest(row);
}

/** Answers a request for the person who has claimed it. Of several answers at once, exactly one returns true. */
export async function answerDeviceRequest(
  db: Db,
  { id, userId, answer, now }: { id: string; userId: string; answer: "allowed" | "denied"; now: Date },
): Promise<boolean> {
  const { numUpdatedRows } = await db.updateTable("device_codes").set({ answer })
    .where("id", "=", id).where("user_id", "=", userId).where("answer", "is", null).where("expires_at", ">", now)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/**
 * Records a poll of a device that waits. One that comes too early makes the device wait longer from then on.
 *
 * @returns whether it came in time.
 */
export async function recordPoll(db: Db, { id, now }: { id: string; now: Date }): Promise<boolean> {
  const inTime = await db.updateTable("device_codes").set({ polled_at: now }).where("id", "=", id)
    .where(sql<boolean>`(polled_at is null or polled_at + interval_seconds * interval '1 second' <= ${now})`)
    .executeTakeFirst();
  if (inTime.numUpdatedRows > 0n) return true;
  await db.updateTable("device_codes")
    .set((eb) => ({ polled_at: now, interval_seconds: eb("interval_seconds", "+", POLL_SECONDS) }))
    .where("id", "=", id).execute();
  return false;
}

const COLUMNS = [
  "id",
  "client_id",
  "scopes",
  "resource",
  "client_address",
  "user_agent",
  "user_id",
  "answer",
  "created_at",
  "expires_at",
] as const;

interface DeviceRow {
  id: string;
  client_id: string;
  scopes: string[];
  resource: string | null;
  client_address: string;
  user_agent: string | null;
  user_id: string | null;
  answer: DeviceRequest["answer"];
  created_at: Date;
  expires_at: Date;
}

function toRequest(row: DeviceRow): DeviceRequest {
  return {
    id: row.id,
    clientId: row.client_id,
    scopes: row.scopes,
    resource: row.resource,
    address: row.client_address,
    userAgent: row.user_agent,
    userId: row.user_id,
    answer: row.answer,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
  };
}

/**
 * Hashes a code with the key of APP_SECRET, then with those of previous secrets: a plain hash of so short a code would
 * reveal it. Case, spaces and hyphens do not count.
 */
async function hashesOf(userCode: string, config: Secrets): Promise<string[]> {
  const algorithm = { name: "HMAC", hash: "SHA-256", length: 256 };
  const keys = await deriveKeys(config, { name: "device_codes", algorithm, usages: ["sign"] });
  const letters = new TextEncoder().encode(userCode.toUpperCase().replaceAll(/[\s\p{Dash}]/gu, ""));
  const sign = async (key: CryptoKey) => new Uint8Array(await crypto.subtle.sign("HMAC", key, letters)).toBase64();
  return await Promise.all(keys.map(sign));
}
