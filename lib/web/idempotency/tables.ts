import type { ColumnType } from "kysely";
import type { TableRules } from "../../schemas/table.ts";

export interface SubmissionsTable {
  /** SHA-256 of the digest of the submitted form. The digest itself is part of the key that decrypts the outcome. */
  id: string;
  /** The encrypted outcome; null while the submission is running. */
  outcome: string | null;
  /** SHA-256 of the key and the content, base64; null if every content is the same submission. */
  content_hash: ColumnType<string | null, string | null | undefined>;
  /** When the claim expires. Once there is an outcome, when the outcome expires. */
  expires_at: Date;
}

export interface IdempotencyTables {
  submissions: SubmissionsTable;
}

export const IDEMPOTENCY_TABLES = {
  // what has been done is not done again
  submissions: { restored: "always", ends: [{ column: "expires_at" }] },
} as const satisfies TableRules<IdempotencyTables>;
