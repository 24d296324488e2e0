import type { Transaction } from "kysely";
import type { Database } from "../../db/schema.ts";
import { secondsAfter } from "../duration.ts";
import type { Services } from "../services/services.ts";
import { findUnknownGroups, listGroupsOf, type MembershipChange, replaceMemberships } from "./membership.ts";
import { GROUPS_OF_PERSON_MAX } from "./schema.ts";

/** Whose groups a provider has named, and the request by which it did. */
export interface ProviderGroups {
  provider: string;
  /** Null if the provider has said nothing about groups. */
  groups: string[] | null;
  event: MembershipChange["event"];
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
  const expiresAt = secondsAfter(now, settings.keptSeconds);
  await replaceMemberships(trx, { event, source, names: kept, now, expiresAt });
}

/** Ends the memberships of providers whose identities are removed. The caller holds the lock of the user. */
export async function dropProviderGroups(
  trx: Transaction<Database>,
  { providers, event, now }: { providers: string[]; event: ProviderGroups["event"]; now: Date },
): Promise<void> {
  for (const provider of providers) {
    await replaceMemberships(trx, { event, source: sourceOf(provider), names: [], now });
  }
}

function sourceOf(provider: string): string {
  return `provider:${provider}`;
}
