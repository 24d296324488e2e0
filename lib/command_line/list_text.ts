import type { LimitInForce } from "../admin/limits.ts";
import type { AuditedEvent, EventActor } from "../activity/audit_list.ts";
import type { ListedMail } from "../mail/outbox_list.ts";
import { table, time } from "./text.ts";

/** Shows events as a table. */
export function eventTable(events: AuditedEvent[], { withUser }: { withUser: boolean }): string {
  if (events.length === 0) return "No events.";
  const head = ["TIME", "KIND", ...withUser ? ["ACCOUNT"] : [], "BY", "REASON", "FROM", "REQUEST"];
  return table(
    head,
    events.map(({ createdAt, kind, user, actor, reason, clientAddress, requestId }) => [
      time(createdAt),
      kind,
      ...withUser ? [user && user.name] : [],
      actorText(actor, user),
      reason,
      clientAddress,
      requestId,
    ]),
  );
}

function actorText(actor: EventActor, user: AuditedEvent["user"]): string | null {
  if (actor === null || typeof actor === "string") return actor;
  const name = actor.id === user?.id ? "the owner" : actor.name;
  return actor.token === undefined ? name : `${name}, token ${actor.token.name ?? actor.token.id}`;
}

/** Shows emails as a table. */
export function mailTable(mails: ListedMail[], { withUser }: { withUser: boolean }): string {
  if (mails.length === 0) return "No emails.";
  const head = ["ID", "KIND", "STATUS", ...withUser ? ["ACCOUNT"] : [], "CREATED", "ATTEMPTS", "NEXT", "LAST ANSWER"];
  return table(
    head,
    mails.map(({ id, kind, status, user, createdAt, attempts, nextAttemptAt, answer }) => [
      id,
      kind,
      status,
      ...withUser ? [user && user.email] : [],
      time(createdAt),
      String(attempts),
      nextAttemptAt && time(nextAttemptAt),
      answer,
    ]),
  );
}

/** Shows limits as a table. */
export function limitTable(limits: LimitInForce[]): string {
  if (limits.length === 0) return "Nothing counts against a limit.";
  return table(
    ["LIMIT", "COUNTS BY", "USED", "OF", "UNTIL", ""],
    limits.map(({ policy, by, address, requests, quota, endsAt, isReached }) => [
      policy,
      address === null ? by : `${by} ${address}`,
      String(requests),
      quota === null ? null : String(quota),
      time(endsAt),
      isReached ? "reached" : " ",
    ]),
  );
}
