import { sql, type Transaction } from "kysely";
import { v7 } from "uuid";
import type { AtCommit } from "../at_commit.ts";
import type { Database, Db, UploadPurpose } from "../../db/schema.ts";
import { lockUser } from "../users/user.ts";
import { secondsAfter } from "../duration.ts";
import { AppError } from "../errors.ts";
import type { Services } from "../services.ts";
import { type Upload, UPLOAD_COLUMNS, uploadOfRow } from "./upload.ts";

/** An object to expect. */
export interface NewUpload extends Pick<Upload, "key" | "filename" | "contentType" | "declaredBytes" | "bytes"> {
  userId: string;
  purpose: UploadPurpose;
  /** How long it may take until the object arrives. */
  expiresInSeconds: number;
}

/** Returns the space that a user's uploads take, including space that is reserved. */
export async function usedBytes(db: Db, userId: string): Promise<number> {
  const { used } = await db.selectFrom("uploads").select(sql<number>`coalesce(sum(bytes), 0)::float8`.as("used"))
    .where("user_id", "=", userId).where("status", "<>", "refused").executeTakeFirstOrThrow();
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
    await requireSpace(trx, services, { userId, bytes });
    const row = await trx.insertInto("uploads").values({
      id: v7({ msecs: now().getTime() }),
      user_id: userId,
      key,
      filename,
      content_type: upload.contentType,
      declared_bytes: upload.declaredBytes,
      bytes,
      purpose,
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
 * Checks that a user may take this much more space. That stays true until the transaction ends.
 *
 * @throws {AppError} QUOTA_EXCEEDED; UNAUTHENTICATED when the user no longer exists.
 */
export async function requireSpace(
  trx: Transaction<Database>,
  { config: { uploadQuotaBytes } }: Pick<Services, "config">,
  { userId, bytes }: { userId: string; bytes: number },
): Promise<void> {
  // The lock makes concurrent calls wait, so that each reads what the previous one has inserted.
  if (!await lockUser(trx, userId)) throw new AppError("UNAUTHENTICATED", "This account has been deleted");
  if (uploadQuotaBytes === 0 || bytes <= 0) return;
  if (await usedBytes(trx, userId) + bytes <= uploadQuotaBytes) return;
  throw new AppError("QUOTA_EXCEEDED", "There is not enough space left. Delete files and try again");
}
