import { sql } from "kysely";
import { refreshClients } from "../clients/registrations.ts";
import { DAY_SECONDS } from "../duration.ts";
import type { Services } from "../services/services.ts";
import { deleteGrants } from "./grant_end.ts";

/** How long consents and grants stay after their app has left CLIENTS_FILE, so that a wrong file loses nothing. */
const KEPT_SECONDS = 90 * DAY_SECONDS;
/** Matches what `isDocumentId` recognizes. */
const DOCUMENT_IDS = "%://%";
/** How many consents one transaction deletes. */
const BATCH_ROWS = 1000;

/**
 * Records which apps are missing from CLIENTS_FILE although people use them. After 90 days, deletes their consents and
 * grants. An app that comes back in time has lost nothing.
 *
 * @returns the number of consents in a full batch, which may leave more to delete; otherwise 0.
 */
export async function sweepMissingClients(services: Pick<Services, "db" | "databaseTime" | "config">): Promise<number> {
  const { db, databaseTime, config } = services;
  await refreshClients(services);
  const present = [...config.registrations?.clients.keys() ?? []];
  await recordMissing(services, present);
  const due = await db.selectFrom("missing_clients").select("client_id")
    .where("missing_since", "<=", databaseTime(-KEPT_SECONDS)).limit(1).executeTakeFirst();
  return due === undefined ? 0 : await deleteConsentsOf(services, due.client_id);
}

async function recordMissing(
  { db, databaseTime, config }: Pick<Services, "db" | "databaseTime" | "config">,
  present: string[],
): Promise<void> {
  // Unregistered ones are in no file.
  const unregistered = config.clientDocuments === null ? "" : DOCUMENT_IDS;
  const isPresent = sql<boolean>`(client_id = any(${present}::text[]) or client_id like ${unregistered})`;
  await sql`
    delete from missing_clients as missing where ${isPresent}
      or not exists (select from consents where consents.client_id = missing.client_id)
  `.execute(db);
  // Steps from one app to the next in the index: reading all consents could take longer than a statement may.
  await sql`
    with recursive used as (
      (select client_id from consents order by client_id limit 1)
      union all
      select (select client_id from consents where client_id > used.client_id order by client_id limit 1) from used
      where used.client_id is not null
    )
    insert into missing_clients (client_id, missing_since)
    select client_id, ${databaseTime()} from used where client_id is not null and not ${isPresent}
    on conflict do nothing
  `.execute(db);
}

async function deleteConsentsOf({ db }: Pick<Services, "db">, clientId: string): Promise<number> {
  return await db.transaction().execute(async (trx) => {
    const rows = await trx.selectFrom("consents").select("id").where("client_id", "=", clientId).orderBy("id")
      .limit(BATCH_ROWS).execute();
    const isOfThem = sql<string>`any(${rows.map(({ id }) => id)}::text[])`;
    await deleteGrants(sql`consent_id = ${isOfThem}`).execute(trx);
    await trx.deleteFrom("consents")
      .where(
        "id",
        "in",
        (eb) => eb.selectFrom("consents").select("id").where("id", "=", isOfThem).orderBy("id").forUpdate(),
      )
      .execute();
    return rows.length === BATCH_ROWS ? rows.length : 0;
  });
}
