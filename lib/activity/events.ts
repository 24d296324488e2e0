import { sql } from "kysely";
import { v7 } from "uuid";
import type { Db } from "../../db/schema.ts";
import type { ActorName, EventDetails } from "./tables.ts";
import { SERVICE_PREFIX } from "../config/registered_client.ts";
import { HOUR_SECONDS, secondsAfter } from "../duration.ts";
import type { EventKind, GeneralEventKind } from "./kinds.ts";
import type { Client } from "./client.ts";

/** An event to record. `userId` is the account that it is about. */
export type NewEvent = EventFacts & ({ kind: EventKind; userId: string } | { kind: GeneralEventKind; userId: null });

interface EventFacts {
  /** The id of the user who caused the event. By default the owner of the account; null if it is unknown. */
  actorId?: string | null;
  /** Who caused the event, if it was no user. Then `actorId` is null. */
  actor?: ActorName;
  /** The client that caused the event; null without one. Owners do not see that of someone else. */
  client: Client | null;
  /** The id of the request, if the client is left out. */
  requestId?: string;
  /** The public id of the session in which the event happened. */
  sessionId?: string | null;
  /** The id of the API token with which a program caused the event. It becomes part of the details. */
  tokenId?: string;
  /** Must contain no secrets. */
  details?: EventDetails;
}

/** An event about an account. */
export type AccountEvent = NewEvent & { userId: string };

/** Who acts on an account that is not their own, as its events name them. */
export type Actor = Pick<NewEvent, "actor" | "actorId" | "client" | "requestId" | "tokenId">;

/** Whether a program acts: with an API token, or an app as itself. */
export function isProgram({ tokenId, actor }: Actor): boolean {
  return tokenId !== undefined || actor?.startsWith(SERVICE_PREFIX) === true;
}

/** An operator who runs a command. */
export const COMMAND_LINE: Actor = { actor: "command line", actorId: null, client: null };

/** Records events. Call it in the transaction of the change, so that both happen or neither. */
export async function recordEvents(db: Db, events: NewEvent[], now: Date): Promise<void> {
  if (events.length > 0) await db.insertInto("events").values(events.map((event) => toRow(event, now))).execute();
}

/** Records one event, as {@linkcode recordEvents} does. */
export async function recordEvent(db: Db, event: NewEvent, now: Date): Promise<void> {
  await recordEvents(db, [event], now);
}

/** How long the changes of one session are one event. */
const SAME_UPDATE_SECONDS = HOUR_SECONDS;
/** How many events of the account may lie in between, so that a long list is not searched. */
const SAME_UPDATE_EVENTS = 50;

/**
 * Records a change of a profile, in one statement. Changes of one session within an hour are one event, of all the
 * fields and of the last request: people save a form often. The caller holds the lock of the user, so no other change
 * comes in between.
 */
export async function recordUpdate(
  db: Db,
  event: NewEvent & { details: { fields: string[] } },
  now: Date,
): Promise<void> {
  const row = toRow(event, now);
  await sql`
    with recent as (
      select id, kind, session_public_id, created_at from events
      where user_id = ${row.user_id} order by id desc limit ${SAME_UPDATE_EVENTS}
    ), merged as (
      update events set client_address = ${row.client_address}, request_id = ${row.request_id}, device = ${row.device},
        transaction_id = pg_current_xact_id(),
        details = jsonb_set(details, '{fields}', (
          select jsonb_agg(distinct field order by field)
          from jsonb_array_elements((details->'fields') || ${JSON.stringify(event.details.fields)}::jsonb) as field
        ))
      where id = (
        select id from recent where kind = ${row.kind} and session_public_id = ${row.session_public_id}
          and created_at > ${secondsAfter(now, -SAME_UPDATE_SECONDS)} order by id desc limit 1
      ) returning id
    )
    insert into events (id, user_id, actor_id, kind, session_public_id, client_address, request_id, device, details, created_at)
    select ${row.id}, ${row.user_id}, ${row.actor_id}, ${row.kind}, ${row.session_public_id}, ${row.client_address},
      ${row.request_id}, ${row.device}, ${row.details}::jsonb, ${row.created_at}::timestamptz
    where not exists (select from merged)
  `.execute(db);
}

/** A failed login, and what its account is looked up by: the address, or the id of a passkey's credential. */
export type FailedLogin = ({ email: string } | { credentialId: string }) & { client: Client; reason: string };

/**
 * Records a failed login, if there is an account. The same statement runs whether or not there is, so that the queries
 * do not reveal which accounts exist. The lock waits for a deletion in progress, and then finds no account.
 */
export async function recordFailedLogin(db: Db, failed: FailedLogin, now: Date): Promise<void> {
  const { client, reason } = failed;
  const accountCondition = "email" in failed
    ? sql`email = ${failed.email}`
    : sql`id = (select user_id from passkeys where credential_id = ${failed.credentialId})`;
  // The statement takes the id of the user from the account that it finds.
  const row = toRow({ kind: "login.failed", userId: "", actorId: null, client, details: { reason } }, now);
  await sql`
    insert into events (id, user_id, kind, client_address, request_id, device, details, created_at)
    select ${row.id}, id, ${row.kind}, ${row.client_address}, ${row.request_id}, ${row.device}, ${row.details}::jsonb,
      ${row.created_at}::timestamptz
    from users where ${accountCondition} for key share
  `.execute(db);
}

/**
 * Removes what identifies a user from all events, before the user is deleted. The events remain. So does the reason for
 * which an admin has deleted the account, and from where someone else has acted.
 */
export async function anonymizeEvents(db: Db, userId: string): Promise<void> {
  await db.updateTable("events").set({
    user_id: null,
    client_address: sql`case when actor_id <> user_id then client_address end`,
    request_id: null,
    device: sql`case when actor_id <> user_id then device end`,
    details: sql`case when kind = 'user.deleted' then details else '{}' end`,
  })
    .where("user_id", "=", userId).execute();
  await db.updateTable("events")
    .set({ actor_id: null, client_address: null, device: null, details: sql`details - 'token'` })
    .where("actor_id", "=", userId).execute();
}

function toRow(
  { kind, userId, actorId = userId, actor, client, requestId, sessionId = null, tokenId, details = {} }: NewEvent,
  now: Date,
) {
  return {
    // Without a given time, the ids of one process increase: events of the same millisecond keep their order.
    id: v7(),
    user_id: userId,
    actor_id: actorId,
    actor,
    kind,
    session_public_id: sessionId,
    client_address: client?.address ?? null,
    request_id: requestId ?? client?.requestId ?? null,
    device: client?.userAgent ?? null,
    details: JSON.stringify({ ...details, token: tokenId ?? details.token }),
    created_at: now,
  };
}
