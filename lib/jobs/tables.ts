import type { ColumnType } from "kysely";
import { type TableRules, TOKEN_KEPT_SECONDS } from "../schemas/table.ts";

/** The processes that serve with this database. */
export interface InstancesTable {
  id: string;
  store_id: string;
  /** Identifies its APP_SECRET; null for instances of older releases. */
  secret_fingerprint: ColumnType<string | null, string | null | undefined>;
  seen_at: Date;
}

export interface InstanceTables {
  instances: InstancesTable;
}

export const INSTANCE_TABLES = {
  // processes that have ended
  instances: { restored: "never", ends: [{ column: "seen_at", keptSeconds: TOKEN_KEPT_SECONDS }] },
} as const satisfies TableRules<InstanceTables>;
