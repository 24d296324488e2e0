/** Compares the rows of uploads with their objects, when they are due. */
import { usersShowing } from "./shown_photo.ts";
import { DAY_SECONDS } from "../duration.ts";
import { errorFields } from "../log.ts";
import type { Services } from "../services.ts";
import {
  ARRIVAL_SECONDS,
  checkObject,
  isRefusal,
  isSettled,
  LEASE_SECONDS,
  refuseObject,
  removeRefused,
} from "./object_check.ts";
import { type Upload, UPLOAD_COLUMNS, uploadOfRow } from "./upload.ts";

/** Uploads that one instance works on at a time. */
const BATCH_ROWS = 10;
/** Rows without a user that one run finds. */
const MAX_REFUSED = 1_000;

/**
 * Brings rows and objects together that are due:
 *
 * - When a URL has expired unused, its reserved space is released.
 * - A day later, what has arrived is checked like a confirmed upload, and rows without an object are deleted. An object
 *   that was replaced after it had been checked is checked again.
 * - Objects that were refused or deleted, or whose user is gone, are deleted.
 * - A replaced photo that no profile shows is deleted.
 *
 * Any number of instances may do this at once, because each row is leased to one of them.
 *
 * @returns the number of rows.
 */
export async function sweepUploads(services: Services): Promise<number> {
  await refuseWithoutUser(services);
  const uploads = await leaseDueUploads(services);
  const results = await Promise.allSettled(uploads.map((upload) => settleUpload(services, upload)));
  const failed = results.find((result) => result.status === "rejected");
  if (failed) throw failed.reason;
  return uploads.length;
}

/** The database clears the user of a row when it deletes the user. */
async function refuseWithoutUser({ db, databaseTime }: Services): Promise<void> {
  const found = db.selectFrom("uploads").select("id").where("user_id", "is", null).where("status", "<>", "refused")
    .limit(MAX_REFUSED).forUpdate().skipLocked();
  await db.updateTable("uploads").set({ status: "refused", check_at: databaseTime() }).where("id", "in", found)
    .execute();
}

async function leaseDueUploads({ db, databaseTime }: Services): Promise<Upload[]> {
  const due = db.selectFrom("uploads").select("id").where("check_at", "<=", databaseTime())
    .orderBy("check_at").limit(BATCH_ROWS).forUpdate().skipLocked();
  const rows = await db.updateTable("uploads").set({ check_at: databaseTime(LEASE_SECONDS) })
    .where("id", "in", due).returning(UPLOAD_COLUMNS).execute();
  return rows.map(uploadOfRow);
}

/**
 * What happens to an upload that is due: its object is deleted; it is refused, because no one confirmed it; it is checked
 * like a confirmed upload; its row is deleted, because nothing arrived; its reserved space is corrected; it is deleted
 * unless a profile shows it; or nothing.
 */
export type DueAction = "delete" | "refuse" | "check" | "forget" | "measure" | "delete unless shown" | "keep";

/** Returns what happens to an upload that is due. Changes nothing. */
export async function dueActionOf(services: Services, upload: Upload): Promise<DueAction> {
  const { userId, status, deletedAt, purpose, etag } = upload;
  if (userId === null || status === "refused" || deletedAt !== null) return "delete";
  // Without an entity tag, the request that stored the image was interrupted, so no one knows its address.
  if (purpose !== "file") return etag === null ? "refuse" : "delete unless shown";
  if (!isSettled(upload, services)) return "measure";
  const object = await services.objects.head(upload.key);
  // The row of a checked object stays: a store that lost it, or a wrong one, must not delete rows.
  if (object === null) return status === "pending" ? "forget" : "keep";
  if (etag === null && services.config.uploadUnconfirmed === "delete") return "refuse";
  return object.etag === etag ? "keep" : "check";
}

type Act = (services: Services, upload: Upload) => Promise<void>;

const ACTS: Record<DueAction, Act> = {
  "delete": deleteUnlessRestored,
  "refuse": refuseObject,
  "check": checkUnconfirmed,
  "forget": forget,
  "measure": measure,
  "delete unless shown": deleteUnlessShown,
  "keep": finish,
};

async function settleUpload(services: Services, upload: Upload): Promise<void> {
  await ACTS[await dueActionOf(services, upload)](services, upload);
}

async function deleteUnlessRestored(services: Services, { id }: Upload): Promise<void> {
  const row = await services.db.updateTable("uploads").set({ status: "refused" }).where("id", "=", id)
    .where((where) =>
      where.or([where("user_id", "is", null), where("status", "=", "refused"), where("deleted_at", "is not", null)])
    )
    .returning(UPLOAD_COLUMNS).executeTakeFirst();
  if (row !== undefined) await removeRefused(services, uploadOfRow(row));
}

async function checkUnconfirmed(services: Services, upload: Upload): Promise<void> {
  try {
    await checkObject(services, upload);
    await finish(services, upload);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    services.log("info", "stored file refused", { uploadId: upload.id, ...errorFields(error) });
  }
}

async function forget({ db }: Services, { id }: Upload): Promise<void> {
  await db.deleteFrom("uploads").where("id", "=", id).where("status", "=", "pending").execute();
}

/**
 * Replaces the reserved space of an expired URL with the space that is used. The row stays pending, because an upload that
 * began in time may still arrive.
 */
export async function measure({ db, objects, databaseTime }: Services, { id, key }: Upload): Promise<void> {
  const bytes = (await objects.head(key))?.sizeBytes ?? 0;
  await db.updateTable("uploads").set({ bytes }).where("id", "=", id).where("status", "=", "pending").execute();
  await db.updateTable("uploads").set({ check_at: databaseTime(ARRIVAL_SECONDS) }).where("id", "=", id)
    .where("status", "<>", "refused").where("deleted_at", "is", null).execute();
}

/** Ends the checks of an upload, unless it has been refused or deleted meanwhile. */
export async function finish({ db }: Services, { id }: Upload): Promise<void> {
  await db.updateTable("uploads").set({ check_at: null }).where("id", "=", id).where("status", "=", "stored")
    .where("deleted_at", "is", null).execute();
}

/**
 * Deletes a photo if no profile shows it. While another profile does, it is looked at again every day. Locks the row, as
 * everyone does who is about to show the photo.
 */
async function deleteUnlessShown(services: Services, upload: Upload): Promise<void> {
  const { db, databaseTime, now } = services;
  const refused = await db.transaction().execute(async (trx) => {
    await trx.selectFrom("uploads").select("id").where("id", "=", upload.id).forUpdate().execute();
    const shownBy = await usersShowing(trx, upload.key);
    const isOwn = shownBy.includes(upload.userId!);
    const change = shownBy.length === 0
      ? { status: "refused" as const, deleted_at: now() }
      : { check_at: isOwn ? null : databaseTime(DAY_SECONDS) };
    const row = await trx.updateTable("uploads").set(change).where("id", "=", upload.id).returning(UPLOAD_COLUMNS)
      .executeTakeFirst();
    return row?.status === "refused" ? uploadOfRow(row) : null;
  });
  if (refused !== null) await removeRefused(services, refused);
}
