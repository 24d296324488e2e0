import type { Database } from "../../db/schema.ts";

/**
 * When the rows of a table are restored: always; only by a move, in which the service has not run since the backup; or
 * never, in which case they are not exported either.
 */
export type Treatment = "always" | "move" | "never";

/**
 * All tables, in the order in which their rows can be inserted. Whatever lets someone in, or changes an account by a link,
 * may have been ended since the backup: only a move restores it. What protects an account comes back in any case.
 */
export const TABLES: Record<keyof Database, Treatment> = {
  users: "always",
  search_terms: "always",
  audit_position: "always", // before the events, of which it says which are written
  identities: "always",
  passkeys: "always",
  totp_secrets: "always",
  recovery_codes: "always",
  api_tokens: "always", // programs would stop; the report says that tokens deleted since are back
  devices: "always",
  events: "always",
  posts: "always",
  uploads: "always",
  outbox: "always", // but a restore cancels what waits
  webhooks: "always",
  webhook_secrets: "always",
  webhook_deliveries: "always", // receivers drop what they have had: it has the same id
  signing_keys: "always",
  logout_deliveries: "always", // these sessions have ended in any case
  deleted_accounts: "always",
  rate_limits: "always", // a restore grants no new attempts
  submissions: "always", // what has been done is not done again
  spent_challenges: "always",
  email_verification_tokens: "always", // the owner of the address can still confirm it, or accept the invitation
  not_me_tokens: "always",
  sessions: "move",
  consents: "move",
  grants: "move",
  missing_clients: "move", // without consents there is nothing to keep
  second_step_challenges: "move",
  provider_attempts: "move",
  password_reset_tokens: "move",
  email_change_tokens: "move",
  emailed_codes: "move",
  factor_resets: "move", // the owner may have stopped the removal
  factor_reset_tokens: "move",
  factor_reset_stop_tokens: "move",
  instances: "never", // processes that have ended
  store_sweep: "never", // starts again, because the store may have newer objects than the backup
};

/** The tables whose rows a backup contains, in the order in which they can be inserted. */
export const EXPORTED: string[] = Object.keys(TABLES).filter((table) => TABLES[table as keyof Database] !== "never");

/** Whether the rows of a table are restored. A table that no longer exists comes from a backup of an earlier schema. */
export function isRestored(table: string, { isMove }: { isMove: boolean }): boolean {
  const treatment = TABLES[table as keyof Database] ?? "always";
  return treatment === "always" || (isMove && treatment === "move");
}
