import { sql } from "kysely";
import { listMadeClients, type MadeClient } from "../clients/made_client.ts";
import { refreshClients } from "../clients/registrations.ts";
import type { RegisteredClient } from "../config/registered_client.ts";
import { unixSeconds } from "../duration.ts";
import { AppError } from "../errors/errors.ts";
import type { ClientView } from "./schema.ts";
import type { Services } from "../services/services.ts";

/** How an app is used. */
interface ClientUse {
  people: number;
  grants: number;
  lastUsedAt: Date | null;
}

const UNUSED: ClientUse = { people: 0, grants: 0, lastUsedAt: null };

/** An app, and how it is used. */
export interface ListedClient extends RegisteredClient, ClientUse {
  /** What an admin has entered; null for an app of CLIENTS_FILE. */
  made: MadeClient | null;
}

/**
 * Lists the apps of CLIENTS_FILE in the order of the file, then those made in the browser, and how they are used. Apps
 * that left the file are not shown.
 */
export async function listClients(
  { config, db, now }: Pick<Services, "config" | "db" | "now">,
): Promise<ListedClient[]> {
  await refreshClients({ config, db });
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
  const made = new Map((await listMadeClients(db)).map((client) => [client.id, client]));
  return clients.map((client) => ({
    ...client,
    ...uses.get(client.id) ?? UNUSED,
    made: client.isMadeHere ? made.get(client.id) ?? null : null,
  }));
}

/**
 * Returns one of these apps.
 *
 * @throws {AppError} NOT_FOUND.
 */
export async function getClient(services: Pick<Services, "config" | "db" | "now">, id: string): Promise<ListedClient> {
  const client = (await listClients(services)).find((each) => each.id === id);
  if (client === undefined) throw new AppError("NOT_FOUND", { reason: "app" });
  return client;
}

/** The fields of an app in the API, without the hashes of its secrets. */
export function clientView({ people, grants, lastUsedAt, made, ...client }: ListedClient): ClientView {
  return {
    clientId: client.id,
    name: client.name,
    source: client.isMadeHere ? "browser" : "CLIENTS_FILE",
    firstParty: client.isFirstParty,
    confidential: !client.isPublic,
    scopes: client.scopes,
    resources: client.resources,
    redirectUris: client.redirectUris,
    people,
    grants,
    lastUsedAt: lastUsedAt && unixSeconds(lastUsedAt),
    fields: made && fileFields(made.fields),
    secrets: made && made.secrets.map(({ n, createdAt }) => ({ n, createdAt: unixSeconds(createdAt) })),
  };
}

/** The fields as a request has them: scopes are one text. */
function fileFields({ scope, ...fields }: MadeClient["fields"]): Record<string, unknown> {
  return { ...fields, scope: scope.join(" ") };
}
