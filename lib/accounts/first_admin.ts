import type { Transaction } from "kysely";
import type { Database, Db } from "../../db/schema.ts";
import type { Config } from "../config/config.ts";
import { deriveKeys, isSignedBy } from "../crypto/derived_key.ts";
import { HOUR_SECONDS, MINUTE_SECONDS, secondsAfter } from "../duration.ts";
import { AppError } from "../errors/errors.ts";
import type { Services } from "../services/services.ts";

/** The page that makes the first admin. */
export const SETUP_PAGE = "/setup";
const LINK_SECONDS = HOUR_SECONDS;
/** A link that works for less than this is renewed when someone asks for it. */
const LINK_MIN_SECONDS = 10 * MINUTE_SECONDS;

type SetupServices = Pick<Services, "db" | "config" | "now">;

/**
 * Returns the link that makes the first admin, or null if an account has ever been one. All who ask get the same link
 * until shortly before it expires. Nothing secret is stored: the token signs the time at which it expires.
 */
export async function findSetupLink({ db, config, now }: SetupServices): Promise<string | null> {
  const expiresAt = await db.transaction().execute(async (trx) => {
    const row = await trx.selectFrom("first_admin").select(["made_at", "link_expires_at"]).forUpdate()
      .executeTakeFirstOrThrow();
    if (row.made_at !== null) return null;
    if (row.link_expires_at !== null && row.link_expires_at > secondsAfter(now(), LINK_MIN_SECONDS)) {
      return row.link_expires_at;
    }
    const renewed = secondsAfter(now(), LINK_SECONDS);
    await trx.updateTable("first_admin").set({ link_expires_at: renewed }).execute();
    return renewed;
  });
  if (expiresAt === null) return null;
  const [key] = await keysFor(config);
  const signature = new Uint8Array(await crypto.subtle.sign("HMAC", key, signedBytes(expiresAt)));
  const token = signature.toBase64({ alphabet: "base64url", omitPadding: true });
  return `${config.baseUrl}${SETUP_PAGE}?token=${token}`;
}

/**
 * Requires the token of a link that still makes the first admin.
 *
 * @returns what {@linkcode claimFirstAdmin} needs.
 * @throws {AppError} NOT_FOUND when it is wrong, expired or spent: strangers learn nothing.
 */
export async function requireSetupToken({ db, config, now }: SetupServices, token: string | null): Promise<Date> {
  const row = await db.selectFrom("first_admin").select(["made_at", "link_expires_at"]).executeTakeFirstOrThrow();
  const expiresAt = row.made_at === null ? row.link_expires_at : null;
  if (expiresAt === null || expiresAt <= now() || !await isTokenFor(config, token, expiresAt)) throw notHere();
  return expiresAt;
}

/**
 * Spends the link, and notes that nobody has confirmed the address of the account. Of two browsers with the same link,
 * one makes the admin.
 *
 * @throws {AppError} NOT_FOUND when the link is spent, or has been replaced.
 */
export async function claimFirstAdmin(
  trx: Transaction<Database>,
  { expiresAt, userId, isAssumed, now }: { expiresAt: Date; userId: string; isAssumed: boolean; now: Date },
): Promise<void> {
  const { numUpdatedRows } = await trx.updateTable("first_admin")
    .set({ made_at: now, link_expires_at: null, assumed_user_id: isAssumed ? userId : null })
    .where("made_at", "is", null).where("link_expires_at", "=", expiresAt).executeTakeFirst();
  if (numUpdatedRows === 0n) throw notHere();
}

/**
 * Whether this is the first admin, and nobody has confirmed the address yet. Someone else may own it, because of a
 * mistake in typing: no email may then open the account.
 */
export async function isAddressAssumed(db: Db, userId: string): Promise<boolean> {
  const row = await db.selectFrom("first_admin").select("id").where("assumed_user_id", "=", userId).executeTakeFirst();
  return row !== undefined;
}

/**
 * Notes that the first admin has confirmed the address, or has another one now.
 *
 * @returns whether nobody had confirmed it before.
 */
export async function endAssumption(db: Db, userId: string): Promise<boolean> {
  const { numUpdatedRows } = await db.updateTable("first_admin").set({ assumed_user_id: null })
    .where("assumed_user_id", "=", userId).executeTakeFirst();
  return numUpdatedRows > 0n;
}

function notHere(): AppError {
  return new AppError("NOT_FOUND", { reason: "page" });
}

async function isTokenFor(config: Config, token: string | null, expiresAt: Date): Promise<boolean> {
  if (token === null || !/^[\w-]{43}$/.test(token)) return false;
  const signature = Uint8Array.fromBase64(token, { alphabet: "base64url" });
  return await isSignedBy(await keysFor(config), { signature, bytes: signedBytes(expiresAt) });
}

function signedBytes(expiresAt: Date): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(String(expiresAt.getTime()));
}

function keysFor(config: Config): ReturnType<typeof deriveKeys> {
  const algorithm = { name: "HMAC", hash: "SHA-256", length: 256 };
  return deriveKeys(config, { name: "setup_link", algorithm, usages: ["sign", "verify"] });
}
