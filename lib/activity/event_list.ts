import type { Selectable } from "kysely";
import type { EventDetails, EventsTable } from "./tables.ts";
import { unixSeconds } from "../duration.ts";
import { eventDeclaration, type EventKind } from "./kinds.ts";
import { cursorOfId, type ListQuery } from "../schemas/list.ts";
import type { EventView } from "../accounts/schema.ts";
import type { Services } from "../services/services.ts";
import type { Language } from "../texts/texts.ts";
import { deviceName } from "./device_name.ts";

/** An event as the user of its account sees it. */
export interface ListedEvent {
  id: string;
  kind: EventKind;
  createdAt: Date;
  sessionId: string | null;
  userAgent: string | null;
  clientAddress: string | null;
  details: EventDetails;
}

/** Lists the events of a user, newest first. */
export async function listEvents(
  { db }: Services,
  { userId, limit, cursor }: ListQuery & { userId: string },
): Promise<{ events: ListedEvent[]; nextCursor: string | null }> {
  const rows = await db.selectFrom("events")
    .select(["id", "kind", "created_at", "session_public_id", "details", ...CLIENT_COLUMNS])
    .where("user_id", "=", userId)
    .$if(cursor !== undefined, (query) => query.where("id", "<", cursor!))
    .orderBy("id", "desc").limit(limit + 1).execute();
  const events = rows.slice(0, limit).map((row) => ({
    id: row.id,
    kind: row.kind,
    createdAt: row.created_at,
    sessionId: row.session_public_id,
    ...clientForOwner(row),
    details: detailsForOwner(row),
  }));
  return { events, nextCursor: rows.length > limit ? cursorOfId(events.at(-1)!.id) : null };
}

/** What {@linkcode clientForOwner} reads. */
export const CLIENT_COLUMNS = ["user_id", "actor_id", "actor", "device", "client_address"] as const;

/** Returns the client of an event, unless someone else has caused it: where an admin is does not concern the owner. */
export function clientForOwner(
  { user_id, actor_id, actor, device, client_address }: Pick<Selectable<EventsTable>, typeof CLIENT_COLUMNS[number]>,
): Pick<ListedEvent, "userAgent" | "clientAddress"> {
  const isOthers = actor !== null || (actor_id !== null && actor_id !== user_id);
  return isOthers ? { userAgent: null, clientAddress: null } : { userAgent: device, clientAddress: client_address };
}

/** Leaves out the API token of the person who sent an invitation or acted as an admin, and the words of an admin. */
export function detailsForOwner({ kind, details }: { kind: EventKind; details: EventDetails }): EventDetails {
  const { hidden = [], reasons } = eventDeclaration(kind);
  const { reason } = details;
  if (reasons === undefined || typeof reason !== "string") return without(details, ...hidden);
  return { ...without(details, "token"), reason: reasons.includes(reason) ? reason : "admin" };
}

function without(details: EventDetails, ...names: string[]): EventDetails {
  return Object.fromEntries(Object.entries(details).filter(([name]) => !names.includes(name)));
}

/** The fields of an event in GET /api/account/events. Some events have no client, such as uploads. */
export function eventView(
  { id, kind, createdAt, sessionId, userAgent, clientAddress, details }: ListedEvent,
  { currentSessionId, language }: { currentSessionId?: string; language: Language },
): EventView {
  return {
    id,
    kind,
    createdAt: unixSeconds(createdAt),
    device: clientAddress === null ? null : deviceName(userAgent, language),
    clientAddress,
    details,
    current: sessionId === currentSessionId,
  };
}
