import type { EventDetails } from "../../db/schema.ts";
import { unixSeconds } from "../duration.ts";
import { APP_END_REASONS, END_REASONS, type EventKind, FACTOR_END_REASONS } from "../schemas/event_kinds.ts";
import { cursorOfId, type ListQuery } from "../schemas/list.ts";
import type { EventView } from "../schemas/views/account.ts";
import type { Services } from "../services.ts";
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
    .select(["id", "kind", "created_at", "session_public_id", "device", "client_address", "details"])
    .where("user_id", "=", userId)
    .$if(cursor !== undefined, (query) => query.where("id", "<", cursor!))
    .orderBy("id", "desc").limit(limit + 1).execute();
  const events = rows.slice(0, limit).map((row) => ({
    id: row.id,
    kind: row.kind,
    createdAt: row.created_at,
    sessionId: row.session_public_id,
    userAgent: row.device,
    clientAddress: row.client_address,
    details: detailsForOwner(row),
  }));
  return { events, nextCursor: rows.length > limit ? cursorOfId(events.at(-1)!.id) : null };
}

/** What operators do to an account. The reasons are their words, for other operators. */
const ADMINISTRATION: EventKind[] = [
  "account.closing",
  "account.suspended",
  "account.unsuspended",
  "email.requested",
  "limits.cleared",
  "role.changed",
];

/** What happens without an operator too, and then has one of these reasons. */
const REASONS: Partial<Record<EventKind, readonly string[]>> = {
  "session.ended": END_REASONS,
  "app.ended": APP_END_REASONS,
  "totp.disabled": FACTOR_END_REASONS,
};

/** Leaves out the API token of the person who sent an invitation or acted as an admin, and the words of an admin. */
export function detailsForOwner({ kind, details }: { kind: EventKind; details: EventDetails }): EventDetails {
  if (kind === "user.registered") return without(details, "token");
  if (ADMINISTRATION.includes(kind)) return without(details, "token", "reason");
  const known = REASONS[kind];
  const { reason } = details;
  if (known === undefined || typeof reason !== "string") return details;
  return { ...without(details, "token"), reason: known.includes(reason) ? reason : "admin" };
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
