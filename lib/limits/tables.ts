import type { TableRules } from "../schemas/table.ts";

export interface RateLimitsTable {
  policy: string;
  /**
   * `address:<client address>`, `user:<id>`, `token:<id>`, `email:<SHA-256 of the address, base64url>`, or
   * `code:<hash>` for an emailed code and a client address.
   */
  client: string;
  /** The number of requests in the current window, including refused ones. */
  requests: number;
  window_ends_at: Date;
}

export interface LimitTables {
  rate_limits: RateLimitsTable;
}

export const LIMIT_TABLES = {
  // a restore grants no new attempts
  rate_limits: { restored: "always", ends: [{ column: "window_ends_at" }], exported: { as: "limits" } },
} as const satisfies TableRules<LimitTables>;
