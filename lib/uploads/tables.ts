import type { Generated } from "kysely";
import type { TableRules } from "../schemas/table.ts";

export type UploadPurpose = "file" | "avatar" | "post";

/** lib/uploads/README.md has a diagram. */
export type UploadState = "pending" | "stored" | "discarded" | "removing";

/** One row for each stored object; the variants of an image belong to its row. */
export interface UploadsTable {
  id: string;
  /** Null once the user or the object is deleted. The sweep deletes what is left. */
  user_id: string | null;
  key: string;
  filename: string;
  content_type: string;
  /** The size of an image without its smaller copies; otherwise the size that was declared, or null. */
  declared_bytes: string | number | null;
  /** What counts against the quota: the reserved space while the object is pending, then its size with all variants. */
  bytes: string | number;
  /** The entity tag of the content that has been checked; null until then. The content must not change afterward. */
  etag: string | null;
  purpose: UploadPurpose;
  /** The database still has the column `status`, which older releases read and write. A trigger keeps it in step. */
  state: UploadState;
  /** When the presigned URL expires. */
  expires_at: Date;
  /** When the sweep compares the row with its object; null if it need not. */
  check_at: Date | null;
  /** When its owner discarded or deleted it; null for a refused upload, which its owner still sees. */
  deleted_at: Date | null;
  /** The number that links to a private file contain. Raising it revokes them. */
  link_number: Generated<number>;
  created_at: Date;
}

/** The progress of the sweep that lists the store, in one row. */
export interface StoreSweepTable {
  id: Generated<boolean>;
  /** Objects that are not older than this have a row. */
  rows_since: Generated<Date>;
  /** When the next batch is due. While a batch is running, when its lease expires. */
  next_at: Date;
  /** The last key of the previous batch; empty at the start of the list. */
  after_key: string;
  /** Whether an operator has allowed the next sweep to delete most objects. */
  may_delete_most: Generated<boolean>;
}

export interface UploadTables {
  uploads: UploadsTable;
  store_sweep: StoreSweepTable;
}

export const UPLOAD_TABLES = {
  uploads: { restored: "always", exported: { as: "uploads" } },
  // starts again, because the store may have newer objects than the backup
  store_sweep: { restored: "never" },
} as const satisfies TableRules<UploadTables>;
