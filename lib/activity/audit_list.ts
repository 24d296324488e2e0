import { sql } from "kysely";
import type { Db } from "../../db/schema.ts";
import type { ActorName, EventDetails } from "./tables.ts";
import { SERVICE_PREFIX } from "../config/registered_client.ts";
import { COMMAND_LINE_ACTOR } from "../schemas/states.ts";
import type { EventKind } from "./kinds.ts";

/** Someone in an event. Null once they are deleted, or if they are unknown. */
type Named = { id: string; name: string } | null;

/** Who caused an event: a user, maybe with an API token, the command line, or an app that acts as itself. */
export type EventActor = NonNullable<Named> & { token?: { id: string; name: string | null } } | ActorName | null;

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
  /** The id of the user who caused them, or who else did. */
  actor?: string;
  kind?: EventKind;
  /** The id that the response and the log lines of the request have. */
  requestId?: string;
  /** The least id of an event. */
  firstId?: string;
  limit: number;
  /** The id of the last event of the previous page. */
  cursor?: string;
}

/**
 * Lists events of all accounts, newest first. The names are looked up for the events of the page alone, which one range
 * of an index has.
 */
export async function listAudit(db: Db, query: AuditQuery): Promise<AuditedEvent[]> {
  const rows = await db.selectFrom(selectEvents(db, query).as("events"))
    .leftJoin("users as owner", "owner.id", "events.user_id")
    .leftJoin("users as actor_user", "actor_user.id", "events.actor_id")
    .leftJoin("api_tokens as token", (join) => join.on("token.id", "=", sql<string>`events.details ->> 'token'`))
    .selectAll("events")
    .select(["owner.name as user_name", "actor_user.name as actor_name", "token.name as token_name"])
    .orderBy("events.id", "desc").execute();
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

/** Whether a text names someone who is no user. */
export function isActorName(text: string): text is ActorName {
  return text === COMMAND_LINE_ACTOR || text.startsWith(SERVICE_PREFIX);
}

function selectEvents(db: Db, { userId, actor, kind, requestId, firstId, limit, cursor }: AuditQuery) {
  return db.selectFrom("events")
    .select(["id", "kind", "created_at", "user_id", "actor_id", "actor", "client_address", "device", "request_id"])
    .select("details")
    .$if(userId !== undefined, (query) => query.where("user_id", "=", userId!))
    .$if(actor !== undefined, (query) => {
      return isActorName(actor!) ? query.where("actor", "=", actor) : query.where("actor_id", "=", actor!);
    })
    .$if(kind !== undefined, (query) => query.where("kind", "=", kind!))
    .$if(requestId !== undefined, (query) => query.where("request_id", "=", requestId!))
    .$if(firstId !== undefined, (query) => query.where("id", ">=", firstId!))
    .$if(cursor !== undefined, (query) => query.where("id", "<", cursor!))
    .orderBy("id", "desc").limit(limit);
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
