import type { Db } from "../../db/schema.ts";
import { type AuditedEvent, type AuditQuery, listAudit } from "../activity/audit_list.ts";
import { type ListedMail, listMails, type MailQuery } from "../mail/outbox_list.ts";
import { AppError } from "../errors/errors.ts";
import { COMMAND_LINE_ACTOR } from "../schemas/states.ts";
import { pageOfMore } from "../schemas/list.ts";
import type { Services } from "../services/services.ts";
import { withNames } from "../authorization_server/connected_apps.ts";
import { getAccountId } from "./locked_account.ts";
import { firstIdWithin } from "./period.ts";
import type { EventPeriod } from "./schema.ts";

/** A page of a list. */
interface Page<Entry> {
  data: Entry[];
  nextCursor: string | null;
}

/** Lists the emails to everyone, newest first. */
export async function listMailPage(db: Db, query: MailQuery): Promise<Page<ListedMail>> {
  return pageOfMore(await listMails(db, { ...query, limit: query.limit + 1 }), query);
}

/** Lists the events of everyone, newest first. */
export async function listAuditPage(db: Db, query: AuditQuery): Promise<Page<AuditedEvent>> {
  return pageOfMore(await listAudit(db, { ...query, limit: query.limit + 1 }), query);
}

/** Which events to show. */
export interface AuditFilters extends Pick<AuditQuery, "kind" | "limit" | "cursor"> {
  /** The address or the id of an account. */
  user?: string;
  /** The same, or the command line. */
  actor?: string;
  /** Without it, those of all time. */
  period?: EventPeriod;
}

/** Lists events for a page, with the names of providers. `unknown` has the filters that name no account. */
export async function showAudit(
  { db, config, now }: Pick<Services, "db" | "config" | "now">,
  { user, actor, period, ...query }: AuditFilters,
): Promise<Page<AuditedEvent> & { unknown: ("user" | "actor")[] }> {
  const userId = user === undefined ? undefined : await findAccountId(db, user);
  const actorId = actor === undefined || actor.trim() === COMMAND_LINE_ACTOR
    ? actor?.trim()
    : await findAccountId(db, actor);
  if (userId === null || actorId === null) {
    const unknown = [...userId === null ? ["user" as const] : [], ...actorId === null ? ["actor" as const] : []];
    return { data: [], nextCursor: null, unknown };
  }
  const firstId = period && firstIdWithin(period, now());
  const { data, nextCursor } = await listAuditPage(db, { ...query, userId, actor: actorId, firstId });
  return { data: data.map((event) => withNames(event, config)), nextCursor, unknown: [] };
}

async function findAccountId(db: Db, who: string): Promise<string | null> {
  try {
    return await getAccountId(db, who);
  } catch (error) {
    if (error instanceof AppError && error.code === "NOT_FOUND") return null;
    throw error;
  }
}
