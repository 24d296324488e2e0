import { sql } from "kysely";
import type { Db } from "../../db/schema.ts";
import { type AuditedEvent, type AuditQuery, isActorName, listAudit } from "../activity/audit_list.ts";
import { type ListedMail, listMails, type MailQuery } from "../mail/outbox_list.ts";
import { AppError } from "../errors/errors.ts";
import { pageOfMore } from "../schemas/list.ts";
import type { Services } from "../services/services.ts";
import { withNames } from "../authorization_server/connected_apps.ts";
import { type Count, countParts } from "./count.ts";
import { getAccountId } from "./locked_account.ts";
import { firstIdWithin } from "./period.ts";
import type { EventPeriod } from "./schema.ts";

/** A page of a list. */
interface Page<Entry> {
  data: Entry[];
  nextCursor: string | null;
}

/** Counts emails that may need someone, up to 999 of each part. */
export async function countMails(db: Db): Promise<Record<"waiting" | "failed", Count>> {
  return await countParts(db, {
    waiting: sql`outbox where status = 'pending'`,
    failed: sql`outbox where status = 'failed'`,
  });
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
  /** Whose account they are about, or who caused them: an address, an id, or the command line. */
  who?: string;
  /** Without it, those of all time. */
  period?: EventPeriod;
}

/** Lists events for a page, with the names of providers. `isUnknown` says that no account is the one of the filters. */
export async function showAudit(
  { db, config, now }: Pick<Services, "db" | "config" | "now">,
  { who, period, ...query }: AuditFilters,
): Promise<Page<AuditedEvent> & { isUnknown: boolean }> {
  const sources = await sourcesOf(db, who?.trim());
  const firstId = period && firstIdWithin(period, now());
  const found = new Map<string, AuditedEvent>();
  // Each is one range of an index. A condition with “or” would read many more events.
  for (const source of sources) {
    const events = await listAudit(db, { ...query, ...source, firstId, limit: query.limit + 1 });
    for (const event of events) found.set(event.id, event);
  }
  const newestFirst = [...found.values()].sort((a, b) => a.id < b.id ? 1 : -1);
  const { data, nextCursor } = pageOfMore(newestFirst, query);
  return { data: data.map((event) => withNames(event, config)), nextCursor, isUnknown: sources.length === 0 };
}

/** Returns the filters that together find the events about someone, and those that they have caused. */
async function sourcesOf(db: Db, who: string | undefined): Promise<Pick<AuditQuery, "userId" | "actor">[]> {
  if (who === undefined) return [{}];
  if (isActorName(who)) return [{ actor: who }];
  const id = await findAccountId(db, who);
  return id === null ? [] : [{ userId: id }, { actor: id }];
}

async function findAccountId(db: Db, who: string): Promise<string | null> {
  try {
    return await getAccountId(db, who);
  } catch (error) {
    if (error instanceof AppError && error.code === "NOT_FOUND") return null;
    throw error;
  }
}
