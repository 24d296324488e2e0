import type { ColumnType, Generated } from "kysely";
import { z } from "zod";
import { EntityId, Time } from "../schemas/views.ts";
import { type TableRules, TOKEN_KEPT_SECONDS } from "../schemas/table.ts";

/** What people have allowed apps, one row for each person and app. */
export interface ConsentsTable {
  id: string;
  user_id: string;
  /** The client in CLIENTS_FILE. The row stays if the client leaves the file. */
  client_id: string;
  /** Everything that the person has agreed to so far. */
  scopes: string[];
  resources: string[];
  /**
   * The scopes of resources, each after its resource and a space. Empty if the consent is older than this column and
   * named several resources.
   */
  resource_scopes: ColumnType<string[], string[] | undefined>;
  created_at: ColumnType<Date, Date, never>;
  /** Accurate to five minutes. */
  last_used_at: Date;
}

/** The grants of apps. Each begins as an authorization code. Grants that end are deleted. */
export interface GrantsTable {
  id: string;
  consent_id: string;
  user_id: string;
  client_id: string;
  /** The public id of the session in which the person agreed. */
  session_public_id: string;
  /** Whether the grant outlives the session. */
  is_offline: boolean;
  scopes: string[];
  /** The API that the access tokens are for; null for this service. */
  resource: string | null;
  redirect_uri: string;
  /** SHA-256 of the code, base64url. */
  code_hash: string | null;
  code_challenge: string | null;
  nonce: string | null;
  code_expires_at: Date;
  /** When the code was exchanged; null until then. */
  code_spent_at: ColumnType<Date | null, Date | null | undefined>;
  /** When the person last proved who they are before they agreed, and how. */
  auth_time: Date;
  acr: string;
  amr: string[];
  /** The encrypted key of the refresh tokens; null if the app gets none. */
  refresh_key: ColumnType<string | null, string | null | undefined>;
  /** The number of the refresh token that is valid, and when it became so. */
  generation: ColumnType<number, number | undefined>;
  generation_at: Date;
  created_at: ColumnType<Date, Date, never>;
  last_used_at: Date;
  /** When an offline grant expires; null for grants that end with the session. */
  expires_at: Date | null;
}

/** What apps must hear about sessions that have ended. Rows are deleted when an app has accepted or refused them. */
export interface LogoutDeliveriesTable {
  /** The same in every token that is sent for it. */
  id: string;
  client_id: string;
  /** The user, who may have been deleted. */
  subject: string;
  session_public_id: string;
  attempts: Generated<number>;
  /** When the next attempt is due. While one is running, when its lease expires. */
  next_attempt_at: Date;
  queued_at: Date;
}

/** The apps that people have allowed something and that are missing from CLIENTS_FILE. */
export interface MissingClientsTable {
  client_id: string;
  missing_since: Date;
}

export interface GrantTables {
  consents: ConsentsTable;
  grants: GrantsTable;
  missing_clients: MissingClientsTable;
  logout_deliveries: LogoutDeliveriesTable;
}

export const GRANT_TABLES = {
  consents: { restored: "move", exported: { as: "consents" } },
  grants: {
    restored: "move",
    ends: [
      { column: "expires_at", keptSeconds: TOKEN_KEPT_SECONDS },
      { column: "code_expires_at", whileNull: "code_spent_at" },
    ],
    exported: {
      as: "grants",
      entry: z.object({
        id: EntityId,
        clientId: z.string(),
        sessionId: EntityId,
        offline: z.boolean(),
        scopes: z.array(z.string()),
        resource: z.string().nullable(),
        redirectUri: z.string(),
        authTime: Time,
        acr: z.string(),
        amr: z.array(z.string()),
        createdAt: Time,
        lastUsedAt: Time,
        expiresAt: Time.nullable(),
      }),
      columns: { sessionId: "session_public_id", offline: "is_offline" },
    },
  },
  // without consents there is nothing to keep
  missing_clients: { restored: "move" },
  // these sessions have ended in any case
  logout_deliveries: { restored: "always" },
} as const satisfies TableRules<GrantTables>;
