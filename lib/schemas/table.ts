import type { z } from "zod";
import { HOUR_SECONDS } from "../duration.ts";

/** How long expired tokens are kept, because the clocks of instances may differ. */
export const TOKEN_KEPT_SECONDS = HOUR_SECONDS;

/**
 * What holds for the rows of each table of a room, beside their columns. The sweep, the backup, the export of an
 * account and docs/data.md read it. The room is the only one that writes the tables that it declares.
 */
export type TableRules<Tables> = { [Name in keyof Tables]: RowRules<Tables[Name]> };

/** What holds for the rows of one table. */
export interface RowRules<Row = Record<string, unknown>> {
  /**
   * When a restore takes the rows: always; only by a move, in which the service has not run since the backup; or never,
   * in which case a backup has none of them. Whatever lets someone in, or changes an account by a link, may have been
   * ended since the backup: only a move restores it. What protects an account comes back in any case.
   */
  restored: "always" | "move" | "never";
  /** When the sweep deletes rows. */
  ends?: readonly RowEnd<Row>[];
  /** Where a person finds their rows in the export of their account. Missing if the rows are not about people. */
  exported?: ExportedRows<Row>;
}

/** Rows are deleted some time after the time in a column. An index of that column makes it cheap. */
export interface RowEnd<Row> {
  column: keyof Row & string;
  /** How long after that time, by default at once. Or the setting that says so. */
  keptSeconds?: number | "eventsKeptSeconds";
  /** Only rows in which this column is empty. */
  whileNull?: keyof Row & string;
}

export interface ExportedRows<Row> {
  /** The field of the export. */
  as: string;
  /**
   * What it shows of a row. Each field is the column of the same name, as `createdAt` is `created_at`. Missing if a
   * function of lib/accounts/account_export.ts reads the rows.
   */
  entry?: z.ZodObject;
  /** The columns of fields with other names. */
  columns?: { readonly [field: string]: keyof Row & string };
  /** A unique column, by which the rows are read in pages; by default `id`. */
  key?: keyof Row & string;
  /** The order within a page, if the key is random. */
  order?: readonly (keyof Row & string)[];
  /** The column that names the person; by default `user_id`. */
  person?: keyof Row & string;
}
