import { sql } from "kysely";
import type { Db, EventDetails } from "../../db/schema.ts";
import type { EventKind } from "../schemas/event_kinds.ts";

/** Someone in an event. Null once they are deleted, or if they are unknown. */
type Named = { id: string; name: string } | null;

/** Who caused an event: a user, maybe with an API token, or the command line. */
export type EventActor = NonNullable<Named> & { token?: { id: string; name: string | null } } | "command line" | null;

/** An event as operators see it. */
export interface AuditedEvent {
  id: string;
  kind: EventKind;
  createdAt: Date;
  actor: EventActor;
  user: Named;
  /** Why it happened: the words of an operator, or the cause of a failure. */
  reason: string | null;
  clientAddress: string | null;
  /** The User-Agent header of the client. */
  device: string | null;
  /** The id that the log lines of the request have. */
  requestId: string | null;
  details: EventDetails;
}

/** Which events to list. */
export interface AuditQuery {
  userId?: string;
  kind?: EventKind;
  /** The id that the response and the log lines of the request have. */
  requestId?: string;
  limit: number;
}

/** Lists events of all accounts, newest first. */
export async function listAudit(db: Db, { userId, kind, requestId, limit }: AuditQuery): Promise<AuditedEvent[]> {
  const rows = await db.selectFrom("events")
    .leftJoin("users as owner", "owner.id", "events.user_id")
    .leftJoin("users as actor_user", "actor_user.id", "events.actor_id")
    .leftJoin("api_tokens as token", (join) => join.on("token.id", "=", sql<string>`events.details ->> 'token'`))
    .select(["events.id", "events.kind", "events.created_at", "events.user_id", "events.actor_id", "events.actor"])
    .select(["events.client_address", "events.device", "events.request_id", "events.details"])
    .select(["owner.name as user_name", "actor_user.name as actor_name", "token.name as token_name"])
    .$if(userId !== undefined, (query) => query.where("events.user_id", "=", userId!))
    .$if(kind !== undefined, (query) => query.where("events.kind", "=", kind!))
    .$if(requestId !== undefined, (query) => query.where("events.request_id", "=", requestId!))
    .orderBy("events.id", "desc").limit(limit).execute();
  return rows.map((row) => ({
    id: row.id,
    kind: row.kind,
    createdAt: row.created_at,
    actor: row.actor ?? actorOf(row),
    user: named(row.user_id, row.user_name),
    reason: typeof row.details.reason === "string" ? row.details.reason : null,
    clientAddress: row.client_address,
    device: row.device,
    requestId: row.request_id,
    details: row.details,
  }));
}

function actorOf({ kind, actor_id, actor_name, token_name, details: { token } }: {
  kind: EventKind;
  actor_id: string | null;
  actor_name: string | null;
  token_name: string | null;
  details: EventDetails;
}): EventActor {
  const actor = named(actor_id, actor_name);
  // The token of these events is the one that they are about.
  const usesToken = typeof token === "string" && !kind.startsWith("token.");
  return actor === null || !usesToken ? actor : { ...actor, token: { id: token, name: token_name } };
}

function named(id: string | null, name: string | null): Named {
  return id === null || name === null ? null : { id, name };
}
