import { sql, type Transaction } from "kysely";
import { v7 } from "uuid";
import type { AtCommit } from "../../db/at_commit.ts";
import type { Database, Db } from "../../db/schema.ts";
import type { UploadPurpose } from "./tables.ts";
import { lockUser } from "../users/user_lock.ts";
import type { FullUserRow } from "../users/user_row.ts";
import { secondsAfter } from "../duration.ts";
import { hasUploads } from "../config/uploads_setting.ts";
import type { Config } from "../config/config.ts";
import { AppError } from "../errors/errors.ts";
import type { Services } from "../services/services.ts";
import { ARRIVAL_SECONDS, type Upload, UPLOAD_COLUMNS, uploadOfRow } from "./upload.ts";

/** An object to expect. */
export interface NewUpload extends Pick<Upload, "key" | "filename" | "contentType" | "declaredBytes" | "bytes"> {
  userId: string;
  purpose: UploadPurpose;
  /** How long it may take until the object arrives. */
  expiresInSeconds: number;
}

type Quotas = Pick<Config, "uploadQuotaBytes" | "unverifiedQuotaBytes">;

/** Returns the bytes that a user's uploads may take. Infinity means that there is no limit. */
function spaceOf({ uploadQuotaBytes, unverifiedQuotaBytes }: Quotas, isVerified: boolean): number {
  const space = uploadQuotaBytes === 0 ? Infinity : uploadQuotaBytes;
  return isVerified ? space : Math.min(space, unverifiedQuotaBytes);
}

/**
 * Returns the same as the API and the pages name it: 0 for no limit. So an account that may store nothing has 1 byte.
 */
export function quotaBytesOf(quotas: Quotas, isVerified: boolean): number {
  const space = spaceOf(quotas, isVerified);
  return space === Infinity ? 0 : Math.max(space, 1);
}

/** Returns the space that a user's uploads take, including space that is reserved; of one purpose or of all. */
export async function usedBytes(db: Db, userId: string, purpose?: UploadPurpose): Promise<number> {
  const { used } = await db.selectFrom("uploads").select(sql<number>`coalesce(sum(bytes), 0)::float8`.as("used"))
    .where("user_id", "=", userId).where("state", "<>", "removing")
    .$if(purpose !== undefined, (query) => query.where("purpose", "=", purpose!)).executeTakeFirstOrThrow();
  return used;
}

/**
 * Creates the row of an upload and reserves its space. Concurrent calls cannot exceed the quota together.
 *
 * @throws {AppError} QUOTA_EXCEEDED; UNAUTHENTICATED when the user no longer exists.
 */
export async function insertUpload(
  services: Services,
  upload: NewUpload,
  atCommit?: AtCommit<Upload>,
): Promise<Upload> {
  const { db, now, databaseTime } = services;
  const { userId, key, filename, purpose, bytes, expiresInSeconds } = upload;
  return await db.transaction().execute(async (trx) => {
    // The lock makes concurrent calls wait, so that each reads what the previous one has inserted.
    const user = await lockUser(trx, userId);
    if (user === null) throw new AppError("UNAUTHENTICATED", { reason: "account" });
    await requireSpace(trx, services, { user, bytes });
    const row = await trx.insertInto("uploads").values({
      id: v7({ msecs: now().getTime() }),
      user_id: userId,
      key,
      filename,
      content_type: upload.contentType,
      declared_bytes: upload.declaredBytes,
      bytes,
      purpose,
      state: "pending",
      expires_at: secondsAfter(now(), expiresInSeconds),
      check_at: databaseTime(expiresInSeconds),
      created_at: now(),
    }).returning(UPLOAD_COLUMNS).executeTakeFirstOrThrow();
    const inserted = uploadOfRow(row);
    await atCommit?.(trx, inserted);
    return inserted;
  });
}

/**
 * Checks that a user, whose lock the caller holds, may take this much more space. That stays true until the transaction
 * ends.
 *
 * @throws {AppError} QUOTA_EXCEEDED.
 */
export async function requireSpace(
  trx: Transaction<Database>,
  { config }: Pick<Services, "config">,
  { user, bytes }: { user: Pick<FullUserRow, "id" | "email_verified">; bytes: number },
): Promise<void> {
  const space = spaceOf(config, user.email_verified);
  if (space === Infinity || bytes <= 0) return;
  // Where there are only photos, people cannot delete the files from before.
  const counted = hasUploads(config, "files") ? undefined : "avatar";
  if (await usedBytes(trx, user.id, counted) + bytes <= space) return;
  throw new AppError("QUOTA_EXCEEDED", { reason: user.email_verified ? "full" : "unverified" });
}

/** How many uploads whose URL has expired are looked at when the space is used up. The sweep finds all of them. */
const MAX_MEASURED = 20;

/** Releases the space that URLs of a user reserved until they expired unused. Returns whether there was such a URL. */
export async function releaseExpired(services: Services, userId: string): Promise<boolean> {
  const expired = await findExpired(services, userId);
  await Promise.all(expired.map((each) => measure(services, each)));
  return expired.length > 0;
}

/** Finds uploads that have not been measured yet. Measuring again would put off the check of what has arrived. */
async function findExpired({ db, databaseTime, now }: Services, userId: string): Promise<Upload[]> {
  const rows = await db.selectFrom("uploads").select(UPLOAD_COLUMNS).where("user_id", "=", userId)
    .where("state", "=", "pending").where("check_at", "<=", databaseTime())
    .where("expires_at", ">", secondsAfter(now(), -ARRIVAL_SECONDS)).limit(MAX_MEASURED).execute();
  return rows.map(uploadOfRow);
}

/**
 * Replaces the reserved space of an expired URL with the space that is used. The row stays pending, because an upload
 * that began in time may still arrive.
 */
export async function measure({ db, objects, databaseTime }: Services, { id, key }: Upload): Promise<void> {
  const bytes = (await objects.head(key))?.sizeBytes ?? 0;
  await db.updateTable("uploads").set({ bytes }).where("id", "=", id).where("state", "=", "pending").execute();
  await db.updateTable("uploads").set({ check_at: databaseTime(ARRIVAL_SECONDS) }).where("id", "=", id)
    .where("state", "in", ["pending", "stored"]).execute();
}
