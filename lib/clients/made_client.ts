import { sql, type Transaction } from "kysely";
import type { Database, Db } from "../../db/schema.ts";
import type { Config } from "../config/config.ts";
import { SECOND_MS, unixSeconds } from "../duration.ts";
import { AppError } from "../errors/errors.ts";
import { createClientSecret, hashClientSecret, randomLetters } from "./client_secret.ts";
import { SECRETS_MAX } from "./client_schema.ts";
import { removeLogo } from "./logo.ts";
import type { Services } from "../services/services.ts";
import type { MadeFields } from "./made_client_schema.ts";

/** The rows of the clients that admins make in the browser. The acts, with their checks, are in lib/admin. */

const LOCK = "foyer clients";
const ID_LETTERS = 22;
/** As many as fit into CLIENTS_FILE. */
const CLIENTS_MAX = 1_000;

/** A client that was made in the browser. */
export interface MadeClient {
  id: string;
  fields: MadeFields;
  secrets: { n: number; createdAt: Date }[];
  /** How many secrets it has had. Once it has had one, it is not public. */
  secretsMade: number;
  createdAt: Date;
}

/** A secret that has just been made. It is shown once. */
export interface NewSecret {
  n: number;
  secret: string;
}

/**
 * Inserts a client without a secret.
 *
 * @throws {AppError} TOO_MANY.
 */
export async function insertClient(trx: Transaction<Database>, { fields, now }: { fields: MadeFields; now: Date }) {
  await sql`select pg_advisory_xact_lock(hashtext(${LOCK}))`.execute(trx);
  const { count } = await trx.selectFrom("clients").select((eb) => eb.fn.countAll().as("count"))
    .where("deleted_at", "is", null).executeTakeFirstOrThrow();
  if (Number(count) >= CLIENTS_MAX) throw new AppError("TOO_MANY", { reason: "clients", max: CLIENTS_MAX });
  const id = `app_${randomLetters(ID_LETTERS)}`;
  await trx.insertInto("clients").values({ id, fields: JSON.stringify(fields), secrets: "[]", created_at: now })
    .execute();
  return id;
}

/** Lists the clients that were made in the browser, oldest first. */
export async function listMadeClients(db: Db): Promise<MadeClient[]> {
  return (await selectMade(db).orderBy("created_at").orderBy("id").execute()).map(toMade);
}

/** Finds a client that was made in the browser, or null. */
export async function findMadeClient(db: Db, id: string): Promise<MadeClient | null> {
  const row = await selectMade(db).where("id", "=", id).executeTakeFirst();
  return row === undefined ? null : toMade(row);
}

/**
 * Locks a client that was made in the browser, and returns it.
 *
 * @throws {AppError} NOT_FOUND; MANAGED_BY_FILE if CLIENTS_FILE names it.
 */
export async function lockClient(
  trx: Transaction<Database>,
  { registrations }: Pick<Config, "registrations">,
  id: string,
): Promise<MadeClient> {
  if (registrations?.clients.get(id)?.isMadeHere === false) throw new AppError("MANAGED_BY_FILE");
  const row = await selectMade(trx).where("id", "=", id).forNoKeyUpdate().executeTakeFirst();
  if (row === undefined) throw new AppError("NOT_FOUND", { reason: "app" });
  return toMade(row);
}

/** Gives a client other fields. The caller holds its lock, as for all that follows. */
export async function updateClient(
  trx: Transaction<Database>,
  { id, fields }: { id: string; fields: MadeFields },
): Promise<void> {
  await change(trx, id, { fields: JSON.stringify(fields) });
}

/**
 * Makes a secret. The others stay.
 *
 * @throws {AppError} TOO_MANY.
 */
export async function addSecret(
  trx: Transaction<Database>,
  { id, now }: { id: string; now: Date },
): Promise<NewSecret> {
  const { secrets, secrets_made: made } = await secretsOf(trx, id);
  if (secrets.length >= SECRETS_MAX) throw new AppError("TOO_MANY", { reason: "clientSecrets", max: SECRETS_MAX });
  const secret = createClientSecret();
  const n = made + 1;
  const added = { n, hash: hashClientSecret(secret), createdAt: unixSeconds(now) };
  await change(trx, id, { secrets: JSON.stringify([...secrets, added]), secrets_made: n });
  return { n, secret };
}

/** Removes a secret. Returns whether there was one with this number. */
export async function removeSecret(trx: Transaction<Database>, { id, n }: { id: string; n: number }): Promise<boolean> {
  const { secrets } = await secretsOf(trx, id);
  const left = secrets.filter((secret) => secret.n !== n);
  if (left.length === secrets.length) return false;
  await change(trx, id, { secrets: JSON.stringify(left) });
  return true;
}

/**
 * Deletes a client. Its id is never used again. What it needs to hear of the sessions that end with it stays for a
 * while.
 */
export async function removeClient(
  trx: Transaction<Database>,
  { id, fields, now }: Pick<MadeClient, "id" | "fields"> & { now: Date },
): Promise<void> {
  await removeLogo(trx, id);
  const { backchannel_logout_uri, id_token_signed_response_alg } = fields;
  const left = backchannel_logout_uri === undefined ? {} : { backchannel_logout_uri, id_token_signed_response_alg };
  await change(trx, id, { fields: JSON.stringify(left), secrets: "[]", deleted_at: now });
}

/** Deletes what is left of clients that were deleted so long ago that they hear of nothing any more. */
export async function forgetRemovedClients(
  { db, databaseTime }: Pick<Services, "db" | "databaseTime">,
  keptSeconds: number,
): Promise<void> {
  await db.updateTable("clients").set({ fields: "{}" }).set((eb) => ({ version: eb("version", "+", 1) }))
    .where("deleted_at", "<=", databaseTime(-keptSeconds)).where(sql<boolean>`fields <> '{}'::jsonb`).execute();
}

async function secretsOf(trx: Transaction<Database>, id: string) {
  return await trx.selectFrom("clients").select(["secrets", "secrets_made"]).where("id", "=", id)
    .executeTakeFirstOrThrow();
}

async function change(
  trx: Transaction<Database>,
  id: string,
  columns: { fields?: string; secrets?: string; secrets_made?: number; deleted_at?: Date },
): Promise<void> {
  await trx.updateTable("clients").set(columns).set((eb) => ({ version: eb("version", "+", 1) })).where("id", "=", id)
    .execute();
}

function selectMade(db: Db) {
  return db.selectFrom("clients").select(["id", "fields", "secrets", "secrets_made", "created_at"])
    .where("deleted_at", "is", null);
}

type MadeRow = Awaited<ReturnType<ReturnType<typeof selectMade>["executeTakeFirstOrThrow"]>>;

function toMade({ id, fields, secrets, secrets_made, created_at }: MadeRow): MadeClient {
  return {
    id,
    fields: fields as MadeFields,
    secrets: secrets.map(({ n, createdAt }) => ({ n, createdAt: new Date(createdAt * SECOND_MS) })),
    secretsMade: secrets_made,
    createdAt: created_at,
  };
}
