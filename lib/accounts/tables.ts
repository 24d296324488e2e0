import type { Generated } from "kysely";
import type { TableRules } from "../schemas/table.ts";

/** How this installation got its first admin. The table has one row. */
export interface FirstAdminTable {
  id: Generated<boolean>;
  /** When an account became an admin for the first time, as a trigger of `users` notes; null until then. */
  made_at: Date | null;
  /** When the link that makes the first admin stops working; null until there is one. */
  link_expires_at: Date | null;
  /** The first admin, until someone has confirmed the address that they entered. */
  assumed_user_id: string | null;
}

export interface AccountTables {
  first_admin: FirstAdminTable;
}

export const ACCOUNT_TABLES = {
  first_admin: { restored: "always", exported: { as: "account" } },
} as const satisfies TableRules<AccountTables>;
