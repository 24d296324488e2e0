import { sql } from "kysely";
import type { RegisteredClient } from "../config/registered_client.ts";
import type { Config } from "../config/config.ts";
import { unixSeconds } from "../duration.ts";
import type { ClientView } from "./schema.ts";
import type { Services } from "../services/services.ts";

/** How an app is used. */
interface ClientUse {
  people: number;
  grants: number;
  lastUsedAt: Date | null;
}

const UNUSED: ClientUse = { people: 0, grants: 0, lastUsedAt: null };

/** An app of CLIENTS_FILE, and how it is used. */
export type ListedClient = RegisteredClient & ClientUse;

/** Finds an app of CLIENTS_FILE. */
export function findClient({ registrations }: Pick<Config, "registrations">, id: string): RegisteredClient | undefined {
  return registrations?.clients.get(id);
}

/**
 * Lists the apps of CLIENTS_FILE in the order of the file, and how they are used. Apps that left the file are not
 * shown.
 */
export async function listClients(
  { config, db, now }: Pick<Services, "config" | "db" | "now">,
): Promise<ListedClient[]> {
  const clients = [...config.registrations?.clients.values() ?? []];
  if (clients.length === 0) return [];
  const people = await db.selectFrom("consents")
    .select(["client_id", sql<number>`count(*)::int`.as("people"), sql<Date>`max(last_used_at)`.as("last_used_at")])
    .groupBy("client_id").execute();
  const grants = await db.selectFrom("grants").select(["client_id", sql<number>`count(*)::int`.as("grants")])
    .where("code_spent_at", "is not", null)
    .where((eb) => eb.or([eb("expires_at", "is", null), eb("expires_at", ">", now())]))
    .groupBy("client_id").execute();
  const uses = new Map<string, ClientUse>();
  for (const { client_id: id, people: count, last_used_at: lastUsedAt } of people) {
    uses.set(id, { ...UNUSED, people: count, lastUsedAt });
  }
  for (const { client_id: id, grants: count } of grants) uses.set(id, { ...uses.get(id) ?? UNUSED, grants: count });
  return clients.map((client) => ({ ...client, ...uses.get(client.id) ?? UNUSED }));
}

/** The fields of an app in the API, without the hashes of its secrets. */
export function clientView({ people, grants, lastUsedAt, ...client }: ListedClient): ClientView {
  return {
    clientId: client.id,
    name: client.name,
    firstParty: client.isFirstParty,
    confidential: !client.isPublic,
    scopes: client.scopes,
    resources: client.resources,
    redirectUris: client.redirectUris,
    people,
    grants,
    lastUsedAt: lastUsedAt && unixSeconds(lastUsedAt),
  };
}
