import type { Selectable } from "kysely";
import type { Db, UploadPurpose, UploadsTable, UploadStatus } from "../../db/schema.ts";
import { unixSeconds } from "../duration.ts";
import { Id } from "../schemas/list.ts";
import type { UploadView } from "../schemas/views/uploads.ts";
import type { Services } from "../services.ts";

/** An object, or one that is expected, and whose it is. */
export interface Upload {
  id: string;
  /** Null once the user or the object is deleted. */
  userId: string | null;
  key: string;
  filename: string;
  contentType: string;
  /** Null if no size was declared. */
  declaredBytes: number | null;
  /** What counts against the quota. */
  bytes: number;
  /** The entity tag of the content that has been checked, or null. */
  etag: string | null;
  purpose: UploadPurpose;
  status: UploadStatus;
  expiresAt: Date;
  deletedAt: Date | null;
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
  "status",
  "expires_at",
  "deleted_at",
  "created_at",
] as const;

type UploadRow = Pick<Selectable<UploadsTable>, typeof UPLOAD_COLUMNS[number]>;

/** Turns a row into an upload. PostgreSQL's driver returns large numbers as texts. */
export function uploadOfRow(row: UploadRow): Upload {
  const { id, key, filename, etag, purpose, status } = row;
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
    status,
    expiresAt: row.expires_at,
    deletedAt: row.deleted_at,
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

/** The API's view of an upload. The size is null if it is not known yet. */
export function uploadView({ objects }: Pick<Services, "objects">, upload: Upload): UploadView {
  const { id, key, filename, contentType, purpose, status, createdAt } = upload;
  const size = status === "stored" ? upload.bytes : upload.declaredBytes;
  return {
    id,
    key,
    url: objects.publicUrl(key),
    filename,
    contentType,
    size,
    purpose,
    status,
    createdAt: unixSeconds(createdAt),
  };
}
