import { sql } from "kysely";
import { PAGE_ROWS, pagesOf } from "../../db/row_pages.ts";
import { type Db, TABLE_RULES } from "../../db/schema.ts";
import { unixSeconds } from "../duration.ts";

type Row = Record<string, unknown>;

/** The fields of the export that the declarations of tables fill, each with its tables. */
export const DECLARED_FIELDS: Map<string, string[]> = Map.groupBy(
  Object.keys(TABLE_RULES).filter((table) => TABLE_RULES[table].exported?.entry),
  (table) => TABLE_RULES[table].exported!.as,
);

/** Exports the rows of a person in some tables, as the declarations of these say, in pages. */
export async function* exportRows(db: Db, tables: string[], userId: string): AsyncGenerator<Row[]> {
  for (const table of tables) {
    const { entry, columns = {}, key = "id", order = [], person = "user_id" } = TABLE_RULES[table].exported!;
    const fields = Object.keys(entry!.shape).map((field) => [field, columns[field] ?? snakeCase(field)]);
    const selected = [...new Set([key, ...fields.map(([, column]) => column)])].map((column) => sql.ref(column));
    const pages = pagesOf(key, async (after) => {
      const { rows } = await sql<Record<string, string>>`
        select ${sql.join(selected)} from ${sql.table(table)} where ${sql.ref(person)} = ${userId}
          and ${after === "" ? sql`true` : sql`${sql.ref(key)} > ${after}`}
        order by ${sql.ref(key)} limit ${PAGE_ROWS}
      `.execute(db);
      return rows;
    });
    for await (const rows of pages) {
      yield rows.toSorted((a, b) => compareBy(order, a, b))
        .map((row) => Object.fromEntries(fields.map(([field, column]) => [field, shown(row[column])])));
    }
  }
}

function snakeCase(field: string): string {
  return field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function compareBy(columns: readonly string[], a: Row, b: Row): number {
  const [first, second] = [a, b].map((row) => columns.map((column) => sortable(row[column])));
  const differs = first.findIndex((value, index) => value !== second[index]);
  return differs === -1 ? 0 : first[differs] < second[differs] ? -1 : 1;
}

function sortable(value: unknown): number | string {
  return value instanceof Date ? value.getTime() : String(value);
}

function shown(value: unknown): unknown {
  return value instanceof Date ? unixSeconds(value) : value;
}
