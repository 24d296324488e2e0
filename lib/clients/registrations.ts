import { sql, type Transaction } from "kysely";
import { type Placeholders, prepare } from "../../db/prepared_query.ts";
import type { Database, Db } from "../../db/schema.ts";
import { isDocumentId, type RegisteredClient, type Registrations } from "../config/registered_client.ts";
import type { Config } from "../config/config.ts";
import { SECOND_MS } from "../duration.ts";
import { AppError } from "../errors/errors.ts";
import type { Services } from "../services/services.ts";
import { withoutClients } from "../config/audiences.ts";

/**
 * What `config.registrations` has: the clients of CLIENTS_FILE, and those that admins have made in the browser, as this
 * process has last read them. Lists may use that. Whoever lets an app or a person in asks `findClient`, which reads the
 * row of a client that was made here.
 */

type ClientServices = Pick<Services, "config" | "db">;
type FindingServices = Pick<Services, "config" | "db" | "now">;

/** The form of the ids that are made here. The file may have such ids too. */
const MADE_ID = /^app_[0-9A-Za-z]{22}$/;

const COLUMNS = ["id", "fields", "secrets", "secrets_made"] as const;

const selectClient = prepare((db, { id }: Placeholders<{ id: string }>) =>
  db.selectFrom("clients").select(COLUMNS).where("id", "=", id).where("deleted_at", "is", null)
);

/**
 * Finds a client as it is now, or null. A client of the file has its id, whatever was made here. One that nobody has
 * registered is as this service has last read its document.
 */
export async function findClient(services: FindingServices, id: string): Promise<RegisteredClient | null> {
  if (isDocumentId(id)) return await findReadClient(services, id);
  const { config, db } = services;
  const known = config.registrations?.clients.get(id);
  if (!MADE_ID.test(id) || known?.isMadeHere === false) return known ?? null;
  const row = (await selectClient(db, { id })).at(0);
  if (row === undefined) {
    config.registrations?.clients.delete(id);
    return null;
  }
  const client = await clientOfRow(row, config);
  registrationsOf(config).clients.set(id, client);
  return client;
}

/** Services without such clients do not load what reads them. */
async function findReadClient(services: FindingServices, id: string): Promise<RegisteredClient | null> {
  if (services.config.clientDocuments === null) return null;
  return await (await import("./document_client.ts")).findDocumentClient(services, id);
}

/** The clients that have been deleted a short while ago and still hear of logouts, as a configuration has read them. */
const removed = new WeakMap<Config, RegisteredClient[]>();

const HEARS_OF_LOGOUTS = sql<boolean>`fields ->> 'backchannel_logout_uri' is not null`;

/** Lists the clients that may hear of logouts. Deleted ones hear of the sessions that ended with them. */
export function listLogoutReceivers(config: Config): RegisteredClient[] {
  const clients = [...config.registrations?.clients.values() ?? [], ...removed.get(config) ?? []];
  return clients.filter(({ backchannelLogoutUri }) => backchannelLogoutUri !== null);
}

/** Finds a client that may hear of logouts, or null. */
export async function findLogoutReceiver(services: FindingServices, id: string): Promise<RegisteredClient | null> {
  const client = await findClient(services, id);
  if (client !== null || !MADE_ID.test(id)) return client;
  const { config, db } = services;
  const row = await db.selectFrom("clients").select(COLUMNS).where("id", "=", id).where(HEARS_OF_LOGOUTS)
    .executeTakeFirst();
  return row === undefined ? null : await clientOfRow(row, config);
}

/**
 * Keeps a client that was made in the browser until the transaction ends: what deletes it must find its grants.
 *
 * @throws {AppError} NOT_FOUND if it has been deleted.
 */
export async function holdClient(
  trx: Transaction<Database>,
  { id, isMadeHere }: Pick<RegisteredClient, "id" | "isMadeHere">,
): Promise<void> {
  if (!isMadeHere) return;
  const row = await trx.selectFrom("clients").select("id").where("id", "=", id).where("deleted_at", "is", null)
    .forShare().executeTakeFirst();
  if (row === undefined) throw new AppError("NOT_FOUND", { reason: "app" });
}

/** The sum of the versions of all rows that a configuration has read last. */
const lastRead = new WeakMap<Config, number>();

/**
 * Reads the clients that were made in the browser, if one has changed. Other instances may have changed them.
 *
 * @returns 0: there is never more to do.
 */
export async function refreshClients({ config, db }: ClientServices): Promise<number> {
  const { version } = await db.selectFrom("clients").select(sql<number>`coalesce(sum(version), 0)::int`.as("version"))
    .executeTakeFirstOrThrow();
  if (version === (lastRead.get(config) ?? 0)) return 0;
  const rows = await db.selectFrom("clients").select(COLUMNS).select("deleted_at")
    .where((eb) => eb.or([eb("deleted_at", "is", null), HEARS_OF_LOGOUTS]))
    .orderBy("created_at").orderBy("id").execute();
  const read = (some: typeof rows) => Promise.all(some.map((row) => clientOfRow(row, config)));
  const made = await read(rows.filter((row) => row.deleted_at === null));
  removed.set(config, await read(rows.filter((row) => row.deleted_at !== null)));
  const { clients } = registrationsOf(config);
  const ofFile = [...clients.values()].filter(({ isMadeHere }) => !isMadeHere);
  clients.clear();
  for (const client of [...ofFile, ...made]) if (!clients.has(client.id)) clients.set(client.id, client);
  lastRead.set(config, version);
  return 0;
}

/** How often requests for apps may look for the first one, in a process that knows of none. */
const FIRST_LOOK_MS = SECOND_MS;

/** When a configuration without clients has last been asked for one, and what comes of it. */
const firstLooks = new WeakMap<Config, { at: number; done: Promise<unknown> }>();

/**
 * Looks for the first client in a process that knows of none: another instance may have made it a moment ago. However
 * many requests ask, there is one query a second.
 */
export async function lookForFirstClient(services: ClientServices & Pick<Services, "now">): Promise<void> {
  const { config } = services;
  if (config.registrations !== null) return;
  const at = services.now().getTime();
  const last = firstLooks.get(config);
  const isDue = last === undefined || Math.abs(at - last.at) >= FIRST_LOOK_MS;
  const look = isDue ? { at, done: refreshClients(services) } : last;
  firstLooks.set(config, look);
  await look.done;
}

/** Returns the clients that were made in the browser and that CLIENTS_FILE has taken over, by their ids. */
export async function listTakenOver({ config, db }: ClientServices): Promise<string[]> {
  const ofFile = [...config.registrations?.clients.values() ?? []].filter(({ isMadeHere }) => !isMadeHere);
  const ids = ofFile.map(({ id }) => id).filter((id) => MADE_ID.test(id));
  if (ids.length === 0) return [];
  const rows = await db.selectFrom("clients").select("id").where("id", "in", ids).where("deleted_at", "is", null)
    .orderBy("id").execute();
  return rows.map(({ id }) => id);
}

/** Returns the name of a client that was made in the browser and admits only some groups, this one among them. */
export async function findClientOfGroup(db: Db, group: string): Promise<string | null> {
  const row = await db.selectFrom("clients").select(sql<string>`fields ->> 'client_name'`.as("name"))
    .where("deleted_at", "is", null).where(sql<boolean>`fields -> 'groups' @> ${JSON.stringify([group])}::jsonb`)
    .orderBy("created_at").limit(1).executeTakeFirst();
  return row?.name ?? null;
}

/** What there is to know without CLIENTS_FILE begins with the first client. */
export function registrationsOf(config: Config): Registrations {
  return config.registrations ??= withoutClients(config);
}

type ClientRow = Awaited<ReturnType<typeof selectClient>>[number];

/** Loads what reads the fields only if there is such a client. A field that is newer than the row has its default. */
async function clientOfRow(
  { id, fields, secrets, secrets_made }: ClientRow,
  config: Config,
): Promise<RegisteredClient> {
  const { DEFAULT_FIELDS, registeredClient } = await import("./client_schema.ts");
  const hashes = secrets.map(({ hash }) => `sha256:${hash}`);
  const client = { ...DEFAULT_FIELDS, ...fields, client_id: id, client_secret_hashes: hashes };
  return { ...registeredClient(client, { ...config, isPublic: secrets_made === 0 }), isMadeHere: true };
}
