import { TABLE_RULES } from "../../../db/schema.ts";

/** The tables whose rows a backup contains, in an order in which they can be inserted. */
export const EXPORTED: string[] = Object.keys(TABLE_RULES).filter((table) => TABLE_RULES[table].restored !== "never");

/** Tables that backups of earlier schemas have. Migrations have moved their rows to others. */
const FORMER = ["name_words"];

/** Whether backups have the rows of a table, or had them. */
export function isOurs(table: string): boolean {
  return EXPORTED.includes(table) || FORMER.includes(table);
}

/** Whether the rows of a table are restored. A table that no longer exists comes from a backup of an earlier schema. */
export function isRestored(table: string, { isMove }: { isMove: boolean }): boolean {
  const restored = table in TABLE_RULES ? TABLE_RULES[table].restored : "always";
  return restored === "always" || (isMove && restored === "move");
}
