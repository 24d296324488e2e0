import { type Selectable, sql } from "kysely";
import { type Placeholders, prepare } from "../../db/prepared_query.ts";
import type { Config } from "../config/config.ts";
import type { RegisteredClient } from "../config/registered_client.ts";
import { DAY_SECONDS, HOUR_SECONDS, MINUTE_SECONDS, secondsAfter } from "../duration.ts";
import { AppError } from "../errors/errors.ts";
import { countUse, rateLimited } from "../limits/rate_limit.ts";
import type { Services } from "../services/services.ts";
import { DEFAULT_FIELDS, registeredClient } from "./client_schema.ts";
import { type ClientDocument, DocumentError, readDocument } from "./document.ts";
import { documentUrl } from "./document_url.ts";
import type { ClientDocumentsTable } from "./tables.ts";

/** What an unregistered client may ask for without a resource. */
const SCOPES = ["openid", "profile", "email", "offline_access"];
type UsedServices = Pick<Services, "config" | "db" | "now">;

/** How many documents are kept. Those of clients that someone has allowed something go last. */
const KEPT = 10_000;
/** How long a document stays usable after it should have been read again, if that fails. */
const STALE_SECONDS = DAY_SECONDS;
/** How long the service waits then before it tries again. */
const RETRY_SECONDS = 5 * MINUTE_SECONDS;
/** How many documents of a host this process reads at a time, and of how many hosts. */
const AT_ONCE = { ofHost: 2, hosts: 20 };

const selectDocument = prepare((db, { id }: Placeholders<{ id: string }>) =>
  db.selectFrom("client_documents").selectAll().where("id", "=", id)
);

/** Finds a client by its document as it was last read, or null. Reads nothing from elsewhere. */
export async function findDocumentClient(services: UsedServices, id: string): Promise<RegisteredClient | null> {
  const { config, db } = services;
  const url = documentUrl(id, config);
  const row = url === null ? undefined : (await selectDocument(db, { id })).at(0);
  if (row === undefined) return null;
  await markUsed(services, row);
  return clientOf(row, { url: url!, config });
}

/**
 * Finds a client by its document, and reads the document if it has not been read lately. One that was right within a
 * day stays usable if that fails. Only for people who are logged in: each reading counts for them.
 *
 * @throws {DocumentError} if there is no document, or it cannot be used.
 * @throws {AppError} RATE_LIMITED.
 */
export async function readDocumentClient(
  services: Services,
  { id, userId }: { id: string; userId: string },
): Promise<RegisteredClient> {
  const { config, db, now } = services;
  const url = documentUrl(id, config);
  if (url === null) throw new DocumentError("no document at this address is accepted");
  const known = (await selectDocument(db, { id })).at(0);
  if (known !== undefined && isFresh(known, now())) {
    await markUsed(services, known);
    return clientOf(known, { url, config });
  }
  try {
    return clientOf(await once(url, id, () => readAgain(services, { id, url, userId })), { url, config });
  } catch (error) {
    const isUsable = known !== undefined && secondsAfter(known.expires_at, STALE_SECONDS) > now();
    if (!isUsable || !(error instanceof DocumentError || error instanceof AppError)) throw error;
    if (error instanceof DocumentError) {
      await db.updateTable("client_documents").set({ read_after: secondsAfter(now(), RETRY_SECONDS) })
        .where("id", "=", id).execute();
    }
    return clientOf(known, { url, config });
  }
}

function isFresh({ expires_at, read_after }: DocumentRow, now: Date): boolean {
  return expires_at > now || read_after !== null && read_after > now && secondsAfter(expires_at, STALE_SECONDS) > now;
}

type DocumentRow = Selectable<ClientDocumentsTable>;

/** The documents that this process reads now, by host and address. */
const reading = new Map<string, Map<string, Promise<DocumentRow>>>();

/**
 * Requests for one document at the same time read it once.
 *
 * @throws {DocumentError} also if too many others of the host are being read.
 */
async function once(url: URL, id: string, read: () => Promise<DocumentRow>): Promise<DocumentRow> {
  const { host } = url;
  const ofHost = reading.get(host) ?? new Map<string, Promise<DocumentRow>>();
  const started = ofHost.get(id);
  if (started !== undefined) {
    // Who has started it may have to wait, but not because of this person.
    return await started.catch((error) => error instanceof AppError ? once(url, id, read) : Promise.reject(error));
  }
  if (ofHost.size >= AT_ONCE.ofHost || reading.size >= AT_ONCE.hosts) {
    throw new DocumentError("its host is being asked for others; try again in a few seconds");
  }
  reading.set(host, ofHost);
  const work = read();
  ofHost.set(id, work);
  try {
    return await work;
  } finally {
    ofHost.delete(id);
    if (ofHost.size === 0) reading.delete(host);
  }
}

/** @throws {DocumentError}; {AppError} RATE_LIMITED. */
async function readAgain(
  services: Services,
  { id, url, userId }: { id: string; url: URL; userId: string },
): Promise<DocumentRow> {
  const { config, db, now } = services;
  // Another request may have read it a moment ago.
  const known = (await selectDocument(db, { id })).at(0);
  if (known !== undefined && isFresh(known, now())) return known;
  // Each counts, also those that can be used: one person must not crowd out the documents that others need.
  const limit = await countUse(services, { policy: "client_document", clients: [`user:${userId}`] });
  if (limit?.isExceeded) throw rateLimited(limit);
  const allowsPrivate = config.clientDocumentsAllowPrivate;
  return await store(services, id, await readDocument(url, { id, allowsPrivate }));
}

async function store({ db, now }: Services, id: string, { name, redirectUris, freshSeconds }: ClientDocument) {
  const read = {
    name,
    redirect_uris: JSON.stringify(redirectUris),
    expires_at: secondsAfter(now(), freshSeconds),
    read_after: null,
    used_at: now(),
  };
  const row = await db.insertInto("client_documents").values({ id, ...read })
    .onConflict((conflict) => conflict.column("id").doUpdateSet(read)).returningAll().executeTakeFirstOrThrow();
  await dropOldest({ db });
  return row;
}

/** A client that no longer has a document must send its people here again before it can refresh. */
async function dropOldest({ db }: Pick<Services, "db">): Promise<void> {
  const { count } = await db.selectFrom("client_documents").select(({ fn }) => fn.countAll<string>().as("count"))
    .executeTakeFirstOrThrow();
  if (Number(count) <= KEPT) return;
  const isAllowed = sql`exists (select from consents where consents.client_id = client_documents.id)`;
  const beyond = db.selectFrom("client_documents").select("id")
    .orderBy(isAllowed, "desc").orderBy("used_at", "desc").orderBy("id").offset(KEPT);
  await db.deleteFrom("client_documents").where("id", "in", beyond).execute();
}

/** Not at each use. */
async function markUsed({ db, now }: UsedServices, { id, used_at }: DocumentRow): Promise<void> {
  if (secondsAfter(used_at, HOUR_SECONDS) > now()) return;
  await db.updateTable("client_documents").set({ used_at: now() }).where("id", "=", id).execute();
}

/** Resources that leave the file, or are no longer open to such clients, end for them at once. */
function clientOf(
  { id, name, redirect_uris }: DocumentRow,
  { url, config }: { url: URL; config: Config },
): RegisteredClient {
  const resources = [...config.registrations?.resources.values() ?? []].filter(({ isForAgents }) => isForAgents);
  const fields = {
    ...DEFAULT_FIELDS,
    client_id: id,
    client_name: url.host,
    redirect_uris,
    scope: [...SCOPES, ...resources.flatMap(({ scopes }) => [...scopes.keys()])],
    resources: resources.map(({ uri }) => uri),
    grant_lifetime: "offline" as const,
  };
  return { ...registeredClient(fields, { ...config, isPublic: true }), statedName: name };
}
