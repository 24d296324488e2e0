import { sql } from "kysely";
import { prepare } from "../../db/prepared_query.ts";
import type { Db } from "../../db/schema.ts";
import { type HashMethod, parseMethod } from "../crypto/hash_method.ts";

/** How many ways of hashing the accounts may have. Each takes time at every login. */
export const MAX_HASH_METHODS = 20;

/** As in the index. */
const METHOD = sql<string>`regexp_replace(password_hash, '\\$[^$]*\\$[^$]*$', '') collate "C"`;

/** The first method in the index. Null if there is none, which is found as fast. */
export const FIRST_METHOD = sql<string | null>`(
  select ${METHOD} from users where password_hash like '$%' order by ${METHOD} limit 1
)`;

/** Looks up one method after another in the index, however many accounts have it. */
const selectMethods = prepare((db) => {
  const statement = sql<{ method: string }>`
    with recursive methods as (
      select ${FIRST_METHOD} as method
      union all
      select (
        select ${METHOD} from users where password_hash like '$%' and ${METHOD} > methods.method order by ${METHOD} limit 1
      ) from methods where methods.method is not null
    )
    select method from methods where method is not null limit ${sql.lit(2 * MAX_HASH_METHODS)}
  `;
  return { compile: () => statement.compile(db) };
});

/** Lists the ways in which passwords of other systems are hashed. */
export async function listHashMethods(db: Db): Promise<HashMethod[]> {
  const rows = await selectMethods(db, {});
  return rows.flatMap(({ method }) => parseMethod(method) ?? []);
}
