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
  /** Null for a device, which asks with a code. */
  redirect_uri: string | null;
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
  /** The address of the device that asked, and what it says it is. Null for apps that people return to. */
  device_address: ColumnType<string | null, string | null | undefined>;
  device_agent: ColumnType<string | null, string | null | undefined>;
}

/** The requests of devices that wait for an answer of a person, or for the device to fetch it. */
export interface DeviceCodesTable {
  /** SHA-256 of the code of the device, base64url. */
  id: string;
  /** A keyed hash of the code that a person types: it is short. */
  user_code_hash: string;
  client_id: string;
  scopes: string[];
  resource: string | null;
  /** Where the request comes from. */
  client_address: string;
  user_agent: string | null;
  /** How long the device must wait between two polls. Grows with each that comes too early. */
  interval_seconds: number;
  polled_at: ColumnType<Date | null, Date | null | undefined>;
  /** Who has typed the code first. No one else can answer. */
  user_id: ColumnType<string | null, string | null | undefined>;
  answer: ColumnType<"allowed" | "denied" | null, "allowed" | "denied" | null | undefined>;
  created_at: ColumnType<Date, Date, never>;
  expires_at: Date;
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
  device_codes: DeviceCodesTable;
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
        redirectUri: z.string().nullable(),
        authTime: Time,
        acr: z.string(),
        amr: z.array(z.string()),
        createdAt: Time,
        lastUsedAt: Time,
        expiresAt: Time.nullable(),
        deviceAddress: z.string().nullable(),
        device: z.string().nullable(),
      }),
      columns: { sessionId: "session_public_id", offline: "is_offline", device: "device_agent" },
    },
  },
  device_codes: {
    restored: "move",
    // a device that polls late learns that its code has expired
    ends: [{ column: "expires_at", keptSeconds: TOKEN_KEPT_SECONDS }],
    exported: {
      as: "deviceCodes",
      entry: z.object({
        clientId: z.string(),
        scopes: z.array(z.string()),
        resource: z.string().nullable(),
        clientAddress: z.string(),
        device: z.string().nullable(),
        answer: z.string().nullable(),
        createdAt: Time,
        expiresAt: Time,
      }),
      columns: { device: "user_agent" },
      order: ["created_at"],
    },
  },
  // without consents there is nothing to keep
  missing_clients: { restored: "move" },
  // these sessions have ended in any case
  logout_deliveries: { restored: "always" },
} as const satisfies TableRules<GrantTables>;
