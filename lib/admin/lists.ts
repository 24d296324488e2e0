import type { Db } from "../../db/schema.ts";
import { type AuditedEvent, type AuditQuery, listAudit } from "../activity/audit_list.ts";
import { type ListedMail, listMails, type MailQuery } from "../mail/outbox_list.ts";
import { pageOfMore } from "../schemas/list.ts";

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
