import type { ColumnType, Generated, JSONColumnType } from "kysely";
import { z } from "zod";
import type { ServiceName } from "../config/registered_client.ts";
import { Time } from "../schemas/views.ts";
import type { TableRules } from "../schemas/table.ts";
import type { EventKind } from "./kinds.ts";

/** The browsers in which a user has signed in. */
export interface DevicesTable {
  user_id: string;
  /** SHA-256 of the token in the browser, base64url. */
  token_hash: string;
  created_at: Date;
  expires_at: Date;
  /** Names the device while it is trusted: logins there skip the second step. Null otherwise, as the next three. */
  trust_id: ColumnType<string | null, string | null | undefined>;
  trusted_at: ColumnType<Date | null, Date | null | undefined>;
  trusted_until: ColumnType<Date | null, Date | null | undefined>;
  /** The User-Agent header with which it was trusted. */
  trusted_agent: ColumnType<string | null, string | null | undefined>;
}

/** Who causes an event and is no user: an operator who runs a command, or an app that acts as itself. */
export type ActorName = "command line" | ServiceName;

export interface EventsTable {
  /** A UUID version 7, so that ids are ordered by time. */
  id: string;
  /** The account that the event is about; null once it is deleted. */
  user_id: string | null;
  /** The user who caused the event; null if unknown, or once that user is deleted. */
  actor_id: string | null;
  /** Who caused the event, if it was no user. */
  actor: ColumnType<ActorName | null, ActorName | null | undefined>;
  kind: EventKind;
  /** The session in which the event happened. */
  session_public_id: string | null;
  client_address: string | null;
  /** The id that the log lines of the request have. */
  request_id: ColumnType<string | null, string | null | undefined>;
  /** The User-Agent header, at most 512 characters. Pages turn it into a name. */
  device: string | null;
  details: JSONColumnType<EventDetails>;
  created_at: Date;
  /** The transaction that wrote the row, and the order of the audit log; null in rows from before version 0.2. */
  transaction_id: Generated<string>;
}

/** The last event in the audit log. The table has one row. */
export interface AuditPositionTable {
  transaction_id: string;
  event_id: string;
}

/** Facts about an event. They never contain secrets. */
export type EventDetails = Record<string, string | boolean | string[]>;

export interface ActivityTables {
  audit_position: AuditPositionTable;
  events: EventsTable;
  devices: DevicesTable;
}

export const ACTIVITY_TABLES = {
  // before the events, of which it says which are written
  audit_position: { restored: "always" },
  events: {
    restored: "always",
    ends: [{ column: "created_at", keptSeconds: "eventsKeptSeconds" }],
    exported: { as: "events" }, // and as actions
  },
  // A restore ends the trust in them, unless it is a move.
  devices: {
    restored: "always",
    ends: [{ column: "expires_at" }],
    exported: {
      as: "devices",
      entry: z.object({
        createdAt: Time,
        expiresAt: Time,
        trustedAt: Time.nullable(),
        trustedUntil: Time.nullable(),
        device: z.string().nullable(),
      }),
      columns: { device: "trusted_agent" },
      key: "token_hash",
      order: ["created_at"],
    },
  },
} as const satisfies TableRules<ActivityTables>;
