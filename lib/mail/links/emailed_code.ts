import type { Db } from "../../../db/schema.ts";
import type { EmailedCodesTable } from "../tables.ts";
import { isSameSecret } from "../../bytes/bytes.ts";
import type { Config } from "../../config/config.ts";
import { deriveKeys } from "../../crypto/derived_key.ts";
import { hashToken } from "../../crypto/token.ts";
import { secondsAfter } from "../../duration.ts";
import { countInWindow } from "../../limits/request_window.ts";
import { CODE_SECONDS, mailsWith } from "../kinds.ts";
import { cancelMails } from "../outbox.ts";
import type { Services } from "../../services/services.ts";
import type { LinkTarget } from "./emailed_token.ts";

const CODE_DIGITS = 8;
/**
 * So few that nobody guesses a code from many addresses, and so many that nobody burns another person's code from one.
 */
const MAX_TRIES = 25;
const MAX_TRIES_OF_ADDRESS = 5;

/** The account and the purpose of an emailed code. Each pair has at most one code. */
export interface CodePlace {
  userId: string;
  purpose: EmailedCodesTable["purpose"];
  /** If given, the code works only while the account has this address. */
  email?: string;
}

/** A code that someone enters, and the address of their client. */
export interface TypedCode {
  code: string;
  address: string;
}

/** A link beside a code, and the secret of the browser that asked for both. */
export interface NewCodeLink extends LinkTarget {
  token: string;
  requestToken: string;
}

/**
 * Issues a code of eight digits. It replaces an earlier one. Only a keyed hash is stored: a code has few digits. A link
 * beside it opens the same, and ends with it.
 */
export async function issueCode(
  db: Db,
  place: CodePlace,
  { config, now }: Pick<Services, "config" | "now">,
  link?: NewCodeLink,
): Promise<string> {
  const code = randomDigits();
  const [codeHash] = await hashesOf(code, place, config);
  const fields = {
    code_hash: codeHash,
    tries: 0,
    expires_at: secondsAfter(now(), CODE_SECONDS),
    link_hash: link === undefined ? null : hashToken(link.token),
    request_hash: link === undefined ? null : hashToken(link.requestToken),
    link_next: link?.next ?? null,
  };
  await db.insertInto("emailed_codes").values({ user_id: place.userId, purpose: place.purpose, ...fields })
    .onConflict((conflict) => conflict.columns(["user_id", "purpose"]).doUpdateSet(fields)).execute();
  return code;
}

/** Voids all codes, of a user or of all, and cancels the emails that carry them. Call it when the address changes. */
export async function voidCodes(db: Db, userId?: string): Promise<void> {
  await db.deleteFrom("emailed_codes").$if(userId !== undefined, (query) => query.where("user_id", "=", userId!))
    .execute();
  const kinds = [...mailsWith({ code: "reauthentication" }), ...mailsWith({ code: "sign_in" })];
  await cancelMails(db, { kinds, userId });
}

/**
 * Returns whether the code is right. Uses up one of its 25 tries, of which one client address has five, and the code
 * itself if it is right. Do not call it in a transaction that a wrong code rolls back. Of several concurrent calls with
 * the right code, exactly one succeeds. Without a code, the same statements run, so that their time reveals nothing.
 */
export async function tryCode(
  { db, config, now }: Pick<Services, "db" | "config" | "now">,
  place: CodePlace,
  { code, address }: TypedCode,
): Promise<boolean> {
  const { userId, purpose } = place;
  const issued = await db.selectFrom("emailed_codes").select("code_hash")
    .where("user_id", "=", userId).where("purpose", "=", purpose).where("expires_at", ">", now()).executeTakeFirst();
  const codeHash = issued?.code_hash ?? "";
  const tries = await countTry(db, { place, codeHash, address, now: now() });
  const row = await db.updateTable("emailed_codes").set((eb) => ({ tries: eb("tries", "+", 1) }))
    .where("user_id", "=", userId).where("purpose", "=", purpose).where("code_hash", "=", codeHash)
    .where("tries", "<", tries > MAX_TRIES_OF_ADDRESS ? 0 : MAX_TRIES)
    .returning("code_hash").executeTakeFirst();
  const hashes = await hashesOf(code, place, config);
  if (row === undefined || !hashes.some((hash) => isSameSecret(row.code_hash, hash))) return false;
  const { numDeletedRows } = await db.deleteFrom("emailed_codes")
    .where("user_id", "=", userId).where("purpose", "=", purpose).where("code_hash", "=", row.code_hash)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Counts a try of one code from a client address. Each place has rows of its own: none waits for those of others. */
async function countTry(
  db: Db,
  { place, codeHash, address, now }: { place: CodePlace; codeHash: string; address: string; now: Date },
): Promise<number> {
  const client = `code:${hashToken(JSON.stringify([place, codeHash, address]))}`;
  const counted = { policy: "emailed_code", clients: [client], windowSeconds: CODE_SECONDS, now };
  const [{ requests }] = await countInWindow(db, counted);
  return requests;
}

/** Hashes a code with the key of APP_SECRET, then with those of previous secrets. */
async function hashesOf(code: string, { userId, purpose, email }: CodePlace, config: Config): Promise<string[]> {
  const algorithm = { name: "HMAC", hash: "SHA-256", length: 256 };
  const keys = await deriveKeys(config, { name: "emailed_codes", algorithm, usages: ["sign"] });
  const text = new TextEncoder().encode(
    JSON.stringify(email === undefined ? [userId, purpose, code] : [userId, purpose, code, email]),
  );
  const sign = async (key: CryptoKey) => new Uint8Array(await crypto.subtle.sign("HMAC", key, text)).toBase64();
  return await Promise.all(keys.map(sign));
}

/** All codes are equally likely, because 10^8 divides the range of values that are accepted. */
function randomDigits(): string {
  const count = 10 ** CODE_DIGITS;
  const range = 2 ** 32 - 2 ** 32 % count;
  let value = range;
  while (value >= range) [value] = crypto.getRandomValues(new Uint32Array(1));
  return String(value % count).padStart(CODE_DIGITS, "0");
}
