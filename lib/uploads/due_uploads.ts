/** Compares the rows of uploads with their objects, when they are due. */
import { selectedOnce } from "../../db/selected_once.ts";
import { usersShowing } from "./shown_photo.ts";
import { DAY_SECONDS } from "../duration.ts";
import { errorFields } from "../log/log.ts";
import type { Services } from "../services/services.ts";
import { lockUser } from "../users/user_lock.ts";
import { checkObject, isRefusal } from "./object_check.ts";
import { measure } from "./quota.ts";
import { markDeleted, refuseObject, removeObject } from "./removal.ts";
import { isSettled, LEASE_SECONDS, type Upload, UPLOAD_COLUMNS, uploadOfRow } from "./upload.ts";

/** Uploads that one instance works on at a time. */
const BATCH_ROWS = 10;
/** Rows without a user that one run finds. */
const MAX_OWNERLESS = 1_000;

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
  await removeWithoutUser(services);
  const uploads = await leaseDueUploads(services);
  const results = await Promise.allSettled(uploads.map((upload) => settleUpload(services, upload)));
  const failed = results.find((result) => result.status === "rejected");
  if (failed) throw failed.reason;
  return uploads.length;
}

/** The database clears the user of a row when it deletes the user. */
async function removeWithoutUser({ db, databaseTime }: Services): Promise<void> {
  const found = db.selectFrom("uploads").select("id").where("user_id", "is", null).where("state", "<>", "removing")
    .limit(MAX_OWNERLESS).forUpdate().skipLocked();
  await db.updateTable("uploads").set({ state: "removing", check_at: databaseTime() })
    .where("id", "=", selectedOnce(found)).execute();
}

async function leaseDueUploads({ db, databaseTime }: Services): Promise<Upload[]> {
  const due = db.selectFrom("uploads").select("id").where("check_at", "<=", databaseTime())
    .orderBy("check_at").limit(BATCH_ROWS).forUpdate().skipLocked();
  const rows = await db.updateTable("uploads").set({ check_at: databaseTime(LEASE_SECONDS) })
    .where("id", "=", selectedOnce(due)).returning(UPLOAD_COLUMNS).execute();
  return rows.map(uploadOfRow);
}

/**
 * What happens to an upload that is due: its object is deleted; it is refused, because no one confirmed it; it is
 * checked like a confirmed upload; its row is deleted, because nothing arrived; its reserved space is corrected; it is
 * deleted unless a profile shows it; or nothing.
 */
export type DueAction = "delete" | "refuse" | "check" | "forget" | "measure" | "delete unless shown" | "keep";

/** Returns what happens to an upload that is due. Changes nothing. */
export async function dueActionOf(services: Services, upload: Upload): Promise<DueAction> {
  const { userId, state, purpose, etag } = upload;
  if (userId === null || state === "removing" || state === "discarded") return "delete";
  // Without an entity tag, the request that stored the image was interrupted, so no one knows its address.
  if (purpose !== "file") return etag === null ? "refuse" : "delete unless shown";
  if (!isSettled(upload, services)) return "measure";
  const object = await services.objects.head(upload.key);
  // The row of a checked object stays: a store that lost it, or a wrong one, must not delete rows.
  if (object === null) return state === "pending" ? "forget" : "keep";
  if (etag === null && services.config.uploadUnconfirmed === "delete") return "refuse";
  return object.etag === etag ? "keep" : "check";
}

type Act = (services: Services, upload: Upload) => Promise<void>;

const ACTS: Record<DueAction, Act> = {
  "delete": removeUnlessRestored,
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

async function removeUnlessRestored(services: Services, upload: Upload): Promise<void> {
  const removing = upload.state === "discarded" ? await deleteDiscarded(services, upload) : upload;
  if (removing !== null) await removeObject(services, removing);
}

/** Returns null for a file that was restored meanwhile. If its user is gone, the next sweep deletes it. */
async function deleteDiscarded(services: Services, { id, userId }: Upload): Promise<Upload | null> {
  if (userId === null) return null;
  return await services.db.transaction().execute(async (trx) => {
    await lockUser(trx, userId);
    const [deleted] = await markDeleted(trx, services, { userId, ids: [id], onlyIn: "discarded" });
    return deleted ?? null;
  });
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
  await db.deleteFrom("uploads").where("id", "=", id).where("state", "=", "pending").execute();
}

/** Ends the checks of an upload, unless it has been refused, discarded or deleted meanwhile. */
async function finish({ db }: Services, { id }: Upload): Promise<void> {
  await db.updateTable("uploads").set({ check_at: null }).where("id", "=", id).where("state", "=", "stored").execute();
}

/**
 * Deletes a photo if no profile shows it. While another profile does, it is looked at again every day. Locks the row,
 * as everyone does who is about to show the photo.
 */
async function deleteUnlessShown(services: Services, upload: Upload): Promise<void> {
  const { id, key, userId } = upload;
  const deleted = await services.db.transaction().execute(async (trx) => {
    await lockUser(trx, userId!);
    await trx.selectFrom("uploads").select("id").where("id", "=", id).forUpdate().execute();
    const shownBy = await usersShowing(trx, key);
    if (shownBy.length === 0) return await markDeleted(trx, services, { userId: userId!, ids: [id], onlyIn: "stored" });
    const check_at = shownBy.includes(userId!) ? null : services.databaseTime(DAY_SECONDS);
    await trx.updateTable("uploads").set({ check_at }).where("id", "=", id).where("state", "=", "stored").execute();
    return [];
  });
  for (const each of deleted) await removeObject(services, each);
}
