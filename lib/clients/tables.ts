import type { ColumnType, JSONColumnType } from "kysely";
import type { TableRules } from "../schemas/table.ts";

/** A secret of a client. Only its hash is stored. */
export interface StoredSecret {
  /** Its number. No other secret of the client ever has it. */
  n: number;
  /** SHA-256, in hex. */
  hash: string;
  /** Unix time in seconds. */
  createdAt: number;
}

/** The clients that admins have made in the browser. CLIENTS_FILE registers others. */
export interface ClientsTable {
  /** `app_` and 22 characters. */
  id: string;
  /** The fields as CLIENTS_FILE has them, without the id and the secrets. Of a deleted one, those of its logouts. */
  fields: JSONColumnType<Record<string, unknown>, string, string>;
  secrets: JSONColumnType<StoredSecret[], string, string>;
  /** How many secrets it has had. Once it has had one, it is not public. */
  secrets_made: ColumnType<number, number | undefined>;
  /** Grows with each change. */
  version: ColumnType<number, number | undefined>;
  created_at: ColumnType<Date, Date, never>;
  /** The row stays: its id is not used again. */
  deleted_at: ColumnType<Date | null, Date | null | undefined>;
}

/** The logos of apps. */
export interface ClientLogosTable {
  /** Of an app made in the browser, or of CLIENTS_FILE. */
  client_id: string;
  /** WebP, in Base64. */
  image: string;
  /** Changes with the image. */
  version: string;
}

/** Metadata documents of unregistered clients, as they were last read. */
export interface ClientDocumentsTable {
  /** The address of the document, which is the id of the client. */
  id: string;
  /** What the client calls itself. */
  name: string;
  redirect_uris: JSONColumnType<string[], string, string>;
  /** When it has to be read again. */
  expires_at: Date;
  /** Until then it is not: a moment ago, that failed. */
  read_after: Date | null;
  /** When someone was last sent here by the client, accurate to an hour. */
  used_at: Date;
}

export interface ClientTables {
  client_documents: ClientDocumentsTable;
  clients: ClientsTable;
  client_logos: ClientLogosTable;
}

export const CLIENT_TABLES = {
  clients: { restored: "always" },
  client_documents: { restored: "move" },
  client_logos: { restored: "always" },
} as const satisfies TableRules<ClientTables>;
