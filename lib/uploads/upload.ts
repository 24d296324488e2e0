import type { Selectable } from "kysely";
import type { Db } from "../../db/schema.ts";
import type { UploadPurpose, UploadsTable, UploadState } from "./tables.ts";
import { DAY_SECONDS, MINUTE_SECONDS, secondsAfter, unixSeconds } from "../duration.ts";
import { Id } from "../schemas/list.ts";
import type { UploadView } from "./schema.ts";
import type { Services } from "../services/services.ts";
import { visibilityOf } from "./object_key.ts";

/**
 * How long an object may still arrive after its URL has expired: S3 accepts an upload that began before. Until then,
 * the row of a refused or deleted object stays, so that whatever arrives is deleted.
 */
export const ARRIVAL_SECONDS = DAY_SECONDS;
/** How long a row is leased to the process that works on its object. If the process dies, the sweep takes over. */
export const LEASE_SECONDS = 5 * MINUTE_SECONDS;

/** The program that stores or deletes an object. */
export interface Actor {
  /** The id of its API token; undefined for a person in a session, and for the sweep. */
  tokenId?: string;
}

/** The state of an upload in the API. */
export type UploadStatus = UploadView["status"];

/** An object, or one that is expected, and whose it is. */
export interface Upload {
  id: string;
  /** Null once the user or the object is deleted. */
  userId: string | null;
  key: string;
  filename: string;
  contentType: string;
  /** The size of an image without its smaller copies; otherwise the size that was declared, or null. */
  declaredBytes: number | null;
  /** What counts against the quota. */
  bytes: number;
  /** The entity tag of the content that has been checked, or null. */
  etag: string | null;
  purpose: UploadPurpose;
  state: UploadState;
  expiresAt: Date;
  /** When its owner discarded or deleted it; null for a refused upload. */
  deletedAt: Date | null;
  /** The number that valid links to a private file contain. */
  linkNumber: number;
  createdAt: Date;
}

/** The columns of an {@linkcode Upload}. */
export const UPLOAD_COLUMNS = [
  "id",
  "user_id",
  "key",
  "filename",
  "content_type",
  "declared_bytes",
  "bytes",
  "etag",
  "purpose",
  "state",
  "expires_at",
  "deleted_at",
  "link_number",
  "created_at",
] as const;

type UploadRow = Pick<Selectable<UploadsTable>, typeof UPLOAD_COLUMNS[number]>;

/** Turns a row into an upload. PostgreSQL's driver returns large numbers as texts. */
export function uploadOfRow(row: UploadRow): Upload {
  const { id, key, filename, etag, purpose, state } = row;
  return {
    id,
    userId: row.user_id,
    key,
    filename,
    contentType: row.content_type,
    declaredBytes: row.declared_bytes === null ? null : Number(row.declared_bytes),
    bytes: Number(row.bytes),
    etag,
    purpose,
    state,
    expiresAt: row.expires_at,
    deletedAt: row.deleted_at,
    linkNumber: row.link_number,
    createdAt: row.created_at,
  };
}

/** Finds an upload of this user that is not deleted. The id need not be well-formed. */
export async function findUpload(db: Db, { id, userId }: { id: string; userId: string }): Promise<Upload | null> {
  if (!Id.safeParse(id).success) return null;
  const row = await db.selectFrom("uploads").select(UPLOAD_COLUMNS).where("id", "=", id).where("user_id", "=", userId)
    .where("deleted_at", "is", null).executeTakeFirst();
  return row === undefined ? null : uploadOfRow(row);
}

/** Finds an upload of anyone that is not deleted. The id need not be well-formed. */
export async function findAnyUpload(db: Db, id: string): Promise<Upload & { userId: string } | null> {
  if (!Id.safeParse(id).success) return null;
  const row = await db.selectFrom("uploads").select(UPLOAD_COLUMNS).where("id", "=", id)
    .where("deleted_at", "is", null).executeTakeFirst();
  if (row === undefined || row.user_id === null) return null;
  return { ...uploadOfRow(row), userId: row.user_id };
}

/** Finds the upload with this key, in any state. */
export async function findUploadByKey(db: Db, key: string): Promise<Upload | null> {
  const row = await db.selectFrom("uploads").select(UPLOAD_COLUMNS).where("key", "=", key).executeTakeFirst();
  return row === undefined ? null : uploadOfRow(row);
}

const STATUS_OF: Record<UploadState, UploadStatus> = {
  pending: "pending",
  stored: "stored",
  discarded: "stored",
  removing: "refused",
};

/** Returns the state of the uploads that a list shows in this status. Discarded and deleted ones are not listed. */
export function stateOf(status: UploadStatus): UploadState {
  return status === "refused" ? "removing" : status;
}

/**
 * The API's view of an upload. The size is null if it is not known yet, and does not include the copies of an image.
 */
export function uploadView({ objects }: Pick<Services, "objects">, upload: Upload): UploadView {
  const { id, key, filename, contentType, purpose, createdAt } = upload;
  const size = sizeOf(upload);
  return {
    id,
    key,
    url: objects.publicUrl(key),
    filename,
    contentType,
    size,
    purpose,
    visibility: visibilityOf(key),
    status: STATUS_OF[upload.state],
    createdAt: unixSeconds(createdAt),
  };
}

/**
 * Returns the size of the object itself, or null if it is not known yet. The first rows of images, written between
 * 0.1.0 and the next version, have no size of their own.
 */
export function sizeOf({ purpose, state, bytes, declaredBytes }: Upload): number | null {
  const isStored = state === "stored" || state === "discarded";
  const isMeasured = isStored && (purpose === "file" || declaredBytes === null);
  return isMeasured ? bytes : declaredBytes;
}

/** Whether nothing can arrive under the key any more. */
export function isSettled(upload: Upload, { now }: Pick<Services, "now">): boolean {
  return now() >= settledAt(upload);
}

/** When nothing can arrive under the key any more. */
export function settledAt({ expiresAt }: Upload): Date {
  return secondsAfter(expiresAt, ARRIVAL_SECONDS);
}
