import { recordEvent } from "../activity/events.ts";
import type { AtCommit } from "../../db/at_commit.ts";
import { MINUTE_SECONDS, secondsAfter } from "../duration.ts";
import { AppError } from "../errors/errors.ts";
import type { Services } from "../services/services.ts";
import { uploadDetails } from "../uploads/events.ts";
import { type Link, linkTo } from "../uploads/private/links.ts";
import { findAnyUpload } from "../uploads/upload.ts";
import { type AdminAct, lockAccount } from "./locked_account.ts";

/** How long the link of an admin works. */
const LINK_SECONDS = 5 * MINUTE_SECONDS;

/**
 * Makes a link to a private file of someone else, the only way in which an admin can read one. The owner reads in their
 * activity who it was and why. Works for files of suspended accounts too, but not of accounts that will be deleted.
 *
 * @throws {AppError} NOT_FOUND, also when a user acts who is not an admin now; NOT_UPLOADED; VALIDATION_FAILED for a
 * public file.
 */
export async function openUpload(
  services: Services,
  { id, by, reason }: Pick<AdminAct, "by"> & { id: string; reason: string },
  atCommit?: AtCommit<Link>,
): Promise<Link> {
  const now = services.now();
  return await services.db.transaction().execute(async (trx) => {
    // Read again under the lock: whatever ends access to the file changes its row.
    const owner = await findAnyUpload(trx, id);
    if (owner === null) throw uploadNotFound();
    const { deletion_due_at: deletionDueAt } = await lockAccount(trx, { who: owner.userId, by });
    const upload = await findAnyUpload(trx, id);
    if (upload === null || deletionDueAt !== null) throw uploadNotFound();
    const link = await linkTo(services, upload, { expiresAt: secondsAfter(now, LINK_SECONDS), download: false });
    const details = { ...uploadDetails(upload), reason };
    await recordEvent(trx, { kind: "upload.opened", userId: upload.userId, ...by, details }, now);
    await atCommit?.(trx, link);
    return link;
  });
}

function uploadNotFound(): AppError {
  return new AppError("NOT_FOUND", { reason: "upload" });
}
