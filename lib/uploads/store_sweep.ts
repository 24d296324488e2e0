/** Compares the objects in the store with the rows of uploads. */
import { type Selectable, sql } from "kysely";
import { v7 } from "uuid";
import type { Db } from "../../db/schema.ts";
import type { StoreSweepTable } from "./tables.ts";
import { usersShowing } from "./shown_photo.ts";
import { DAY_SECONDS, secondsAfter } from "../duration.ts";
import { AppError } from "../errors/errors.ts";
import { errorFields } from "../log/log.ts";
import { type ListedObject, type ObjectStore, PRIVATE_PREFIX } from "../services/object_store.ts";
import type { Services } from "../services/services.ts";
import { type KeyParts, objectKeys, partsOfKey } from "./object_key.ts";
import { freshNumber } from "./private/links.ts";
import { LEASE_SECONDS } from "./upload.ts";

/** Objects that are younger are left alone: their rows may not be there yet. */
const GRACE_SECONDS = 2 * DAY_SECONDS;
const PAUSE_SECONDS = DAY_SECONDS;
/** A sweep that is later than this has not been missed by chance: an older backup of the database was restored. */
const LATE_SECONDS = DAY_SECONDS;
/** Objects that one step compares. */
const BATCH_OBJECTS = 500;
/** Fewer objects than this are deleted without a look at how many others are known. */
const MANY_OBJECTS = 50;
/** The folders of Foyer, in the order of their names. A bucket may hold other objects, which are never touched. */
const FOLDERS = ["images/", PRIVATE_PREFIX, "uploads/"];

/**
 * What the sweep does with an object that has no row: it deletes it, or gives it a row if it was stored before objects
 * had rows and belongs to someone. It keeps images for posts from that time, because nothing shows whose they are.
 */
export interface Stray {
  object: ListedObject;
  action: "delete" | "adopt" | "keep";
  /** The user who gets the object. */
  ownerId?: string;
}

/**
 * Compares one batch of objects with the rows, if it is due. The whole store takes as many batches as needed and then
 * pauses for a day. One instance at a time does this.
 *
 * If no instance has done this for days, the database is a restored backup, or the service was stopped. Then objects
 * that have no row may be newer than the backup. They count as stored before objects had rows, so they are not deleted.
 *
 * @returns the number of objects in a full batch, which another may follow; otherwise 0.
 */
export async function sweepStore(services: Services): Promise<number> {
  const { db, databaseTime, log } = services;
  const sweep = await db.updateTable("store_sweep").set({
    next_at: databaseTime(LEASE_SECONDS),
    rows_since: sql<Date>`case when next_at < ${
      databaseTime(-LATE_SECONDS)
    } then ${databaseTime()} else rows_since end`,
  }).where("next_at", "<=", databaseTime()).returning(["after_key", "rows_since", "may_delete_most"])
    .executeTakeFirst();
  if (sweep === undefined) return 0;
  if (sweep.after_key === "" && !sweep.may_delete_most) {
    const survey = await surveyStore(services);
    if (survey.isForeign) {
      log("error", "store not swept: most of its objects are unknown to this database", { ...survey });
      await db.updateTable("store_sweep").set({ next_at: databaseTime(PAUSE_SECONDS) }).execute();
      return 0;
    }
  }
  return await sweepBatch(services, sweep);
}

/**
 * Lets the sweep start from the beginning in two days, after a restore. Objects that are newer than the backup have no
 * row. They count as stored before objects had rows, so they are not deleted.
 */
export async function restartStoreSweep(db: Db, { databaseTime }: Pick<Services, "databaseTime">): Promise<void> {
  await db.updateTable("store_sweep").set({
    rows_since: databaseTime(),
    next_at: databaseTime(GRACE_SECONDS),
    after_key: "",
    may_delete_most: false,
  }).execute();
}

async function sweepBatch(
  services: Services,
  { after_key, rows_since }: Pick<Selectable<StoreSweepTable>, "after_key" | "rows_since">,
): Promise<number> {
  const { db, databaseTime } = services;
  const objects = await firstOf(ownObjects(services.objects, after_key), BATCH_OBJECTS);
  for (const stray of (await compare(services, objects, rows_since)).strays) {
    await settleStray(services, stray).catch((error) => {
      if (error instanceof AppError) throw error;
      // A bucket may refuse to delete one object. The sweep must still reach the others.
      services.log("error", "object without a row not deleted", { key: stray.object.key, ...errorFields(error) });
    });
  }
  await recordImageSizes(db, objects);
  const isLast = objects.length < BATCH_OBJECTS;
  await db.updateTable("store_sweep").set({
    after_key: isLast ? "" : objects.at(-1)!.key,
    next_at: databaseTime(isLast ? PAUSE_SECONDS : 0),
    ...isLast ? { may_delete_most: false } : {},
  }).execute();
  return isLast ? 0 : objects.length;
}

/** The first rows of images, written between 0.1.0 and the next version, have only the size of all copies. */
async function recordImageSizes(db: Db, objects: ListedObject[]): Promise<void> {
  const sizes = new Map(objects.map(({ key, sizeBytes }) => [key, sizeBytes]));
  if (sizes.size === 0) return;
  const images = await db.selectFrom("uploads").select("key").where("key", "in", [...sizes.keys()])
    .where("purpose", "<>", "file").where("declared_bytes", "is", null).where("state", "in", ["stored", "discarded"])
    .execute();
  for (const { key } of images) {
    await db.updateTable("uploads").set({ declared_bytes: sizes.get(key) }).where("key", "=", key).execute();
  }
}

/** How many objects of the store this database knows. */
export interface StoreSurvey {
  /** Objects with a row, or with a user who gets one. */
  known: number;
  /** Objects that the sweep would delete. */
  unknown: number;
  /** Whether these are many and more than the known ones: the database is probably not the one of this store. */
  isForeign: boolean;
}

/**
 * Counts the objects that the sweep would keep and delete. With an empty or very old database on the bucket of another
 * one, it would delete what others still use. Changes nothing but the lease, which it extends.
 */
export async function surveyStore(services: Services, { isLeased = true } = {}): Promise<StoreSurvey> {
  const { db, databaseTime, objects } = services;
  const { rows_since } = await db.selectFrom("store_sweep").select("rows_since").executeTakeFirstOrThrow();
  let [known, unknown] = [0, 0];
  for await (const batch of batchesOf(ownObjects(objects), BATCH_OBJECTS)) {
    const compared = await compare(services, batch, rows_since);
    known += compared.known + compared.strays.filter(({ action }) => action === "adopt").length;
    unknown += compared.strays.filter(({ action }) => action === "delete").length;
    if (isLeased) await db.updateTable("store_sweep").set({ next_at: databaseTime(LEASE_SECONDS) }).execute();
  }
  return { known, unknown, isForeign: unknown >= MANY_OBJECTS && unknown > known };
}

/** Finds what the sweep would change in the store, without changing anything. */
export async function* previewStoreSweep(services: Services): AsyncGenerator<Stray> {
  const { rows_since } = await services.db.selectFrom("store_sweep").select("rows_since").executeTakeFirstOrThrow();
  for await (const batch of batchesOf(ownObjects(services.objects), BATCH_OBJECTS)) {
    yield* (await compare(services, batch, rows_since)).strays;
  }
}

/** Lists the objects in the folders of Foyer, in the order of their keys. */
export async function* ownObjects(objects: ObjectStore, after = ""): AsyncGenerator<ListedObject> {
  for (const prefix of FOLDERS) {
    if (after < prefix || after.startsWith(prefix)) yield* objects.list({ prefix, after });
  }
}

/** Compares objects with the rows. Counts those that have one, and returns the others. Leaves out young objects. */
async function compare(
  services: Services,
  objects: ListedObject[],
  rowsSince: Date,
): Promise<{ known: number; strays: Stray[] }> {
  const graceStart = secondsAfter(services.now(), -GRACE_SECONDS);
  const own = objects.filter(({ modifiedAt }) => modifiedAt < graceStart)
    .map((object) => ({ object, parts: partsOfKey(object.key) }))
    .filter((each): each is { object: ListedObject; parts: KeyParts } => each.parts !== null);
  const known = await findKeys(services.db, own.map(({ parts }) => parts.originalKey));
  const strays: Stray[] = [];
  for (const { object, parts } of own) {
    if (known.has(parts.originalKey)) continue;
    const isOld = object.modifiedAt < secondsAfter(rowsSince, GRACE_SECONDS);
    strays.push({ object, ...await judge(services.db, parts, isOld) });
  }
  return { known: own.length - strays.length, strays };
}

async function judge(
  db: Db,
  { purpose, originalKey, userId }: KeyParts,
  isOld: boolean,
): Promise<Omit<Stray, "object">> {
  if (purpose === "post") return { action: isOld ? "keep" : "delete" };
  const [ownerId] = purpose === "avatar"
    ? await usersShowing(db, originalKey)
    : isOld
    ? await findUser(db, userId!)
    : [];
  return ownerId === undefined ? { action: "delete" } : { action: "adopt", ownerId };
}

async function findUser(db: Db, id: string): Promise<string[]> {
  return (await db.selectFrom("users").select("id").where("id", "=", id).execute()).map(({ id }) => id);
}

async function findKeys(db: Db, keys: string[]): Promise<Set<string>> {
  if (keys.length === 0) return new Set();
  const rows = await db.selectFrom("uploads").select("key").where("key", "in", [...new Set(keys)]).execute();
  return new Set(rows.map(({ key }) => key));
}

async function settleStray(services: Services, { object: { key }, action, ownerId }: Stray): Promise<void> {
  if (action === "delete") await services.objects.delete(key);
  if (action === "adopt") await adopt(services, partsOfKey(key)!, ownerId!);
}

/** Creates the row of an object, which the next sweep of due uploads checks: its user may be gone by then. */
async function adopt(
  { db, objects, databaseTime }: Services,
  { purpose, originalKey, filename }: KeyParts,
  userId: string,
) {
  const object = await objects.head(originalKey);
  if (object === null) return;
  const copies = await Promise.all(objectKeys(originalKey).map((key) => objects.head(key)));
  const { contentType, etag, modifiedAt } = object;
  const values = {
    id: v7({ msecs: modifiedAt.getTime() }),
    user_id: sql<string>`(select id from users where id = ${userId})`,
    key: originalKey,
    link_number: freshNumber(),
    filename,
    content_type: contentType,
    declared_bytes: purpose === "file" ? null : object.sizeBytes,
    bytes: copies.reduce((sum, copy) => sum + (copy?.sizeBytes ?? 0), 0),
    etag,
    purpose,
    state: "stored" as const,
    expires_at: modifiedAt,
    check_at: databaseTime(),
    created_at: modifiedAt,
  };
  await db.insertInto("uploads").values(values).onConflict((conflict) => conflict.column("key").doNothing()).execute();
}

async function firstOf<T>(items: AsyncIterable<T>, count: number): Promise<T[]> {
  for await (const batch of batchesOf(items, count)) return batch;
  return [];
}

async function* batchesOf<T>(items: AsyncIterable<T>, count: number): AsyncGenerator<T[]> {
  let batch: T[] = [];
  for await (const item of items) {
    batch.push(item);
    if (batch.length < count) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
