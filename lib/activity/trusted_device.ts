import { v7 } from "uuid";
import type { Db } from "../../db/schema.ts";
import type { Config } from "../config/config.ts";
import { createToken, hashToken } from "../crypto/token.ts";
import { secondsAfter } from "../duration.ts";
import type { Client } from "./client.ts";
import { isSameBrowser } from "./device_name.ts";

/**
 * Devices that skip the second step, because their person has chosen so there. The trust is a mark on the row of the
 * device's cookie, so whoever holds a copy of the cookie passes for the device. The token is replaced whenever the
 * device is trusted or skips a step: of the browser and a copy, only the one that logs in first keeps the trust.
 */

/** A device that is trusted. */
export interface TrustedDevice {
  id: string;
  /** Whether the request comes from it. */
  isCurrent: boolean;
  userAgent: string | null;
  trustedAt: Date;
  trustedUntil: Date;
}

/** The tokens that a browser presents, and the user who logs in. */
interface Presented {
  userId: string;
  tokens: string[];
}

/** What the trust of a device depends on. */
interface Terms {
  config: Pick<Config, "trustDeviceSeconds">;
  now: Date;
}

/** Nothing of a mark stays. */
const NO_TRUST = { trust_id: null, trusted_at: null, trusted_until: null, trusted_agent: null };

/**
 * Marks the device with this token as trusted. Call it after a second step, with the user's row locked.
 *
 * @returns what names the device, until when it is trusted, and its new token.
 */
export async function trustDevice(
  db: Db,
  { userId, token, client }: { userId: string; token: string; client: Client },
  { config, now }: Terms,
): Promise<{ id: string; until: Date; token: string }> {
  const [id, renewed] = [v7({ msecs: now.getTime() }), createToken()];
  const until = secondsAfter(now, config.trustDeviceSeconds);
  const mark = { trust_id: id, trusted_at: now, trusted_until: until, trusted_agent: client.userAgent };
  await db.updateTable("devices").set({ ...mark, token_hash: hashToken(renewed) })
    .where("user_id", "=", userId).where("token_hash", "=", hashToken(token)).execute();
  return { id, until, token: renewed };
}

/**
 * Returns the tokens of the browser, with a new one for this user, if it is a device that the user has trusted;
 * otherwise null. A cookie in another browser than that which was trusted has been copied. The caller has locked the
 * user's row, so that a login and the end of the trust happen one after the other.
 */
export async function useTrust(
  db: Db,
  { userId, tokens, client }: Presented & { client: Client },
  terms: Terms,
): Promise<string[] | null> {
  if (tokens.length === 0 || terms.config.trustDeviceSeconds === 0) return null;
  const devices = await selectTrusted(db, userId, terms)
    .where("token_hash", "in", tokens.map(hashToken)).execute();
  const device = devices.find(({ trusted_agent: userAgent }) => isSameBrowser(userAgent, client.userAgent));
  if (device === undefined) return null;
  const renewed = createToken();
  await db.updateTable("devices").set({ token_hash: hashToken(renewed) })
    .where("user_id", "=", userId).where("token_hash", "=", device.token_hash).execute();
  return tokens.map((token) => hashToken(token) === device.token_hash ? renewed : token);
}

/** Lists the devices that a user trusts, those trusted last first. */
export async function listTrustedDevices(
  db: Db,
  { userId, tokens }: Presented,
  terms: Terms,
): Promise<TrustedDevice[]> {
  if (terms.config.trustDeviceSeconds === 0) return [];
  const rows = await selectTrusted(db, userId, terms).orderBy("trusted_at", "desc").orderBy("trust_id", "desc")
    .execute();
  const current = tokens.map(hashToken);
  return rows.map((row) => ({
    id: row.trust_id!,
    isCurrent: current.includes(row.token_hash),
    userAgent: row.trusted_agent,
    trustedAt: row.trusted_at!,
    trustedUntil: trustedUntil(row, terms),
  }));
}

/** Forgets a trusted device: the next login there is one on a new device. Returns whether there was such a device. */
export async function forgetDevice(db: Db, { userId, id }: { userId: string; id: string }): Promise<boolean> {
  const { numDeletedRows } = await db.deleteFrom("devices").where("user_id", "=", userId).where("trust_id", "=", id)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/**
 * Ends the trust in the devices of a user, or of all. Alerts do not take them for new ones. Call it whenever the
 * password or a second factor is no longer what it was when the device was trusted.
 */
export async function endTrust(db: Db, userId?: string): Promise<void> {
  await db.updateTable("devices").set(NO_TRUST).where("trust_id", "is not", null)
    .$if(userId !== undefined, (query) => query.where("user_id", "=", userId!)).execute();
}

/** A shorter TRUST_DEVICE_DAYS counts at once, a longer one only for what is trusted later. */
function selectTrusted(db: Db, userId: string, { config, now }: Terms) {
  return db.selectFrom("devices").select(["token_hash", "trust_id", "trusted_at", "trusted_until", "trusted_agent"])
    .where("user_id", "=", userId).where("trusted_until", ">", now)
    .where("trusted_at", ">", secondsAfter(now, -config.trustDeviceSeconds));
}

function trustedUntil(row: { trusted_at: Date | null; trusted_until: Date | null }, { config }: Terms): Date {
  const last = secondsAfter(row.trusted_at!, config.trustDeviceSeconds);
  return last < row.trusted_until! ? last : row.trusted_until!;
}
