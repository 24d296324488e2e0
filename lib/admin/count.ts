import { type RawBuilder, sql } from "kysely";
import type { Db } from "../../db/schema.ts";

/** How many there are. Large numbers are not counted to the end, so that the time does not grow with the table. */
export interface Count {
  number: number;
  /** Whether there are as many, more, or about as many as that. */
  precision: "exact" | "more" | "about";
}

/** Counts rows, up to a number. `from` is what follows the word in a statement, such as a table and a condition. */
export async function count(db: Db, from: RawBuilder<unknown>, most: number): Promise<Count> {
  const { rows: [{ number }] } = await sql<{ number: number }>`select ${countUpTo(from, most)} as number`.execute(db);
  return countOf(number, most);
}

/** Where counting ends that only helps to choose a part of a list. */
const MOST_OF_A_PART = 999;

/** Counts the rows of several parts of a list with one statement, up to 999 of each. */
export async function countParts<Part extends string>(
  db: Db,
  parts: Record<Part, RawBuilder<unknown>>,
): Promise<Record<Part, Count>> {
  const names = Object.keys(parts) as Part[];
  const counts = names.map((name) => countUpTo(parts[name], MOST_OF_A_PART));
  const { rows: [{ numbers }] } = await sql<{ numbers: number[] }>`
    select array[${sql.join(counts)}] as numbers
  `.execute(db);
  const counted = names.map((name, index) => [name, countOf(numbers[index], MOST_OF_A_PART)]);
  return Object.fromEntries(counted) as Record<Part, Count>;
}

function countUpTo(from: RawBuilder<unknown>, most: number): RawBuilder<number> {
  return sql`(select count(*)::int from (select from ${from} limit ${most + 1}) as counted)`;
}

function countOf(number: number, most: number): Count {
  return number > most ? { number: most, precision: "more" } : { number, precision: "exact" };
}
