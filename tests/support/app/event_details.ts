import { sql } from "kysely";
import { z } from "zod";
import type { Db } from "../../../db/schema.ts";
import { detailsOf, type EventKind } from "../../../lib/activity/kinds.ts";

/**
 * Returns the events whose details are not those that their kind declares, in words. Events of deleted accounts have
 * none.
 */
export async function undeclaredDetails(db: Db): Promise<string[]> {
  const rows = await db.selectFrom("events").select(["kind", "details"]).where(sql<boolean>`details <> '{}'::jsonb`)
    .execute();
  return rows.flatMap(({ kind, details }) => {
    const { error } = detailsOf(kind as EventKind).strict().safeParse(details);
    return error === undefined ? [] : [`${kind} ${JSON.stringify(details)}: ${z.prettifyError(error)}`];
  });
}
