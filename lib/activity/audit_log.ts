import { sql } from "kysely";
import type { Db } from "../../db/schema.ts";
import type { AuditLine } from "./schema.ts";
import type { Services } from "../services/services.ts";

/** Where the audit log is written. Resolves when the line can no longer be lost. */
export interface AuditSink {
  write(line: string): Promise<void>;
}

/**
 * Writes the next event to the audit log: events come in the order of their commits. Instances share the position, and
 * one of them writes at a time. It moves with each line, so a crash repeats at most the last one.
 *
 * @returns the number of events that were written.
 */
export async function writeNextEvent({ db }: Pick<Services, "db">, sink: AuditSink): Promise<number> {
  return await db.transaction().execute(async (trx) => {
    const position = await trx.selectFrom("audit_position").select(["transaction_id", "event_id"])
      .forUpdate().skipLocked().executeTakeFirst();
    if (position === undefined) return await addPosition(trx);
    const { transaction_id: transactionId, event_id: eventId } = position;
    const event = await trx.selectFrom("events").selectAll()
      .where(sql<boolean>`(transaction_id, id) > (${transactionId}::xid8, ${eventId})`)
      // Every transaction before this one has ended: none can add an event further ahead.
      .where(sql<boolean>`transaction_id < pg_snapshot_xmin(pg_current_snapshot())`)
      .orderBy("transaction_id").orderBy("id").limit(1).executeTakeFirst();
    if (event === undefined) return 0;
    const line: AuditLine = {
      id: event.id,
      kind: event.kind,
      createdAt: event.created_at.toISOString(),
      userId: event.user_id,
      actorId: event.actor_id,
      actor: event.actor,
      sessionId: event.session_public_id,
      clientAddress: event.client_address,
      requestId: event.request_id,
      device: event.device,
      details: event.details,
    };
    await sink.write(`${JSON.stringify(line)}\n`);
    await trx.updateTable("audit_position").set({ transaction_id: event.transaction_id, event_id: event.id }).execute();
    return 1;
  });
}

/** Adds the row if it is missing. Otherwise, another instance holds it. */
async function addPosition(db: Db): Promise<number> {
  await sql`insert into audit_position default values on conflict do nothing`.execute(db);
  return 0;
}

/**
 * Lets the log begin again in a restored database, in which the numbers of transactions are others.
 *
 * @param writesOlder whether events before now that have a number are still to be written.
 */
export async function restartAuditLog(db: Db, { writesOlder }: { writesOlder: boolean }): Promise<void> {
  if (!writesOlder) {
    await sql`update events set transaction_id = null where transaction_id is not null`.execute(db);
  }
  await sql`update audit_position set transaction_id = '0', event_id = ''`.execute(db);
}
