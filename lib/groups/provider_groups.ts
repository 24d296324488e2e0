import type { Transaction } from "kysely";
import { v7 } from "uuid";
import type { Database } from "../../db/schema.ts";
import { type AccountEvent, recordEvents } from "../activity/events.ts";
import { secondsAfter } from "../duration.ts";
import type { Services } from "../services/services.ts";
import { findUnknownGroups, listGroupsOf } from "./membership.ts";
import { GROUPS_OF_PERSON_MAX } from "./schema.ts";

/** Whose groups a provider has named, and the request by which it did. */
export interface ProviderGroups {
  provider: string;
  /** Null if the provider has said nothing about groups. */
  groups: string[] | null;
  event: Pick<AccountEvent, "userId" | "client"> & Partial<AccountEvent>;
}

/**
 * Makes the memberships of a provider equal to what it says at a login. The caller holds the lock of the user. A login
 * is never refused for them: without a word about groups nothing changes, and groups above the limit are left out.
 */
export async function takeProviderGroups(
  trx: Transaction<Database>,
  { config, now: currentTime, log }: Pick<Services, "config" | "now" | "log">,
  { provider, groups, event }: ProviderGroups,
): Promise<void> {
  const settings = config.providers.find(({ key }) => key === provider)?.groups;
  if (settings === undefined || settings.pairs.length === 0) return;
  if (groups === null) return log("warn", "the provider has not said which groups a person is in", { provider });
  const [now, { userId }, source] = [currentTime(), event, sourceOf(provider)];
  const unknown = await findUnknownGroups(trx, groups);
  const current = await listGroupsOf(trx, { userId, now });
  const others = current.filter(({ sources }) => sources.some((each) => each !== source)).map(({ name }) => name);
  const room = GROUPS_OF_PERSON_MAX - others.length;
  const wanted = groups.filter((name) => !unknown.includes(name));
  const added = wanted.filter((name) => !others.includes(name)).slice(0, room);
  const kept = wanted.filter((name) => others.includes(name) || added.includes(name));
  const left = wanted.length - kept.length;
  if (left > 0) log("warn", "a person is in more groups than can be", { provider, left });
  await leave(trx, { event, source, except: kept, now });
  await join(trx, { event, source, names: kept, now, expiresAt: secondsAfter(now, settings.keptSeconds) });
}

/** Ends the memberships of providers whose identities are removed. The caller holds the lock of the user. */
export async function dropProviderGroups(
  trx: Transaction<Database>,
  { providers, event, now }: { providers: string[]; event: ProviderGroups["event"]; now: Date },
): Promise<void> {
  for (const provider of providers) await leave(trx, { event, source: sourceOf(provider), except: [], now });
}

function sourceOf(provider: string): string {
  return `provider:${provider}`;
}

interface Change {
  event: ProviderGroups["event"];
  source: string;
  now: Date;
}

async function leave(trx: Transaction<Database>, { event, source, except, now }: Change & { except: string[] }) {
  const rows = await trx.deleteFrom("group_members").where("user_id", "=", event.userId).where("source", "=", source)
    .$if(except.length > 0, (members) => members.where("group_name", "not in", except))
    .returning("group_name").execute();
  const events = rows.map(({ group_name: group }) => ({
    ...event,
    kind: "group.left" as const,
    details: { group, source },
  }));
  await recordEvents(trx, events, now);
}

async function join(
  trx: Transaction<Database>,
  { event, source, names, now, expiresAt }: Change & { names: string[]; expiresAt: Date },
) {
  if (names.length === 0) return;
  const row = { user_id: event.userId, source, created_at: now, expires_at: expiresAt };
  const known = await trx.updateTable("group_members").set({ expires_at: expiresAt })
    .where("user_id", "=", event.userId).where("source", "=", source).where("group_name", "in", names)
    .returning("group_name").execute();
  const joined = names.filter((name) => !known.some(({ group_name }) => group_name === name));
  if (joined.length === 0) return;
  await trx.insertInto("group_members").values(joined.map((name) => ({ ...row, id: v7(), group_name: name })))
    .execute();
  const events = joined.map((group) => ({ ...event, kind: "group.joined" as const, details: { group, source } }));
  await recordEvents(trx, events, now);
}
