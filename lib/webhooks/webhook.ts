import { sql, type Transaction } from "kysely";
import { v7 } from "uuid";
import type { Database, Db } from "../../db/schema.ts";
import type { DisableReason } from "./tables.ts";
import { type Actor, recordEvent } from "../activity/events.ts";
import type { AtCommit } from "../../db/at_commit.ts";
import { AppError, validationFailed } from "../errors/errors.ts";
import type { EventKind } from "../activity/kinds.ts";
import type { NewWebhook } from "./schema.ts";
import type { Services } from "../services/services.ts";
import { lockForAct } from "../users/user_lock.ts";
import { addSecret, deleteSecrets, replaceSecret } from "./webhook_secret.ts";
import { MAX_WEBHOOKS } from "./webhook_queue.ts";

const LOCK = "foyer webhooks";
/** Deliveries that one statement deletes. */
const BATCH_ROWS = 1_000;

/** A webhook as admins see it. */
export interface ListedWebhook {
  id: string;
  url: string;
  kinds: EventKind[];
  createdAt: Date;
  /** When the first of the attempts failed that have failed since the last success; null if it works. */
  failingSince: Date | null;
  disabledAt: Date | null;
  disabledBecause: DisableReason | null;
}

/** A webhook, and the secret that is shown once. */
export interface WebhookWithSecret {
  webhook: ListedWebhook;
  secret: string;
}

/** A webhook to act on, and who acts. */
export interface WebhookAct {
  id: string;
  by: Actor;
  /** Why, for other admins. It becomes part of the event. */
  reason?: string;
}

const COLUMNS = [
  "id",
  "url",
  "kinds",
  "created_at as createdAt",
  "failing_since as failingSince",
  "disabled_at as disabledAt",
  "disabled_because as disabledBecause",
] as const;

/**
 * Adds a webhook. The caller checks the proof.
 *
 * @throws {AppError} VALIDATION_FAILED for a URL to which nothing may be sent; TOO_MANY.
 */
export async function createWebhook(
  services: Services,
  { url, kinds, by }: NewWebhook & { by: Actor },
  atCommit?: AtCommit<WebhookWithSecret>,
): Promise<WebhookWithSecret> {
  const { db } = services;
  const now = services.now();
  if (!await services.webhooks.mayPost(url)) throw validationFailed({ url: [{ rule: "publicAddress" }] });
  const id = v7({ msecs: now.getTime() });
  return await db.transaction().execute(async (trx) => {
    await lockActor(trx, by);
    await sql`select pg_advisory_xact_lock(hashtext(${LOCK}))`.execute(trx);
    if ((await listWebhooks(trx)).length >= MAX_WEBHOOKS) {
      throw new AppError("TOO_MANY", { reason: "webhooks", max: MAX_WEBHOOKS });
    }
    await trx.insertInto("webhooks").values({ id, created_by: by.actorId ?? null, url, kinds, created_at: now })
      .execute();
    const secret = await addSecret(trx, services, id);
    await recordChange(trx, services, { id, by, change: "created" });
    const created = { webhook: await getWebhook(trx, id), secret };
    await atCommit?.(trx, created);
    return created;
  });
}

/** Lists the webhooks, oldest first. */
export async function listWebhooks(db: Db): Promise<ListedWebhook[]> {
  const rows = await db.selectFrom("webhooks").select(COLUMNS).where("deleted_at", "is", null).orderBy("id").execute();
  return rows.map(withKinds);
}

/**
 * Returns one webhook.
 *
 * @throws {AppError} NOT_FOUND.
 */
export async function getWebhook(db: Db, id: string): Promise<ListedWebhook> {
  const row = await db.selectFrom("webhooks").select(COLUMNS).where("id", "=", id).where("deleted_at", "is", null)
    .executeTakeFirst();
  if (row === undefined) throw webhookNotFound();
  return withKinds(row);
}

function withKinds<Row extends { kinds: string[] }>(row: Row): Row & { kinds: EventKind[] } {
  return { ...row, kinds: row.kinds as EventKind[] };
}

/**
 * Deletes a webhook. It gets nothing more. The sweep deletes its deliveries.
 *
 * @throws {AppError} NOT_FOUND.
 */
export async function deleteWebhook(services: Services, act: WebhookAct): Promise<void> {
  await services.db.transaction().execute(async (trx) => {
    await lockWebhook(trx, act);
    await trx.updateTable("webhooks").set({ deleted_at: services.databaseTime(), url: "" }).where("id", "=", act.id)
      .execute();
    await deleteSecrets(trx, act.id);
    await recordChange(trx, services, { ...act, change: "deleted" });
  });
}

/**
 * Gives a webhook a new secret. The previous one still signs for a day.
 *
 * @throws {AppError} NOT_FOUND; TOO_MANY.
 */
export async function rotateSecret(
  services: Services,
  act: WebhookAct,
  atCommit?: AtCommit<WebhookWithSecret>,
): Promise<WebhookWithSecret> {
  return await services.db.transaction().execute(async (trx) => {
    await lockWebhook(trx, act);
    const secret = await replaceSecret(trx, services, act.id);
    await recordChange(trx, services, { ...act, change: "rotated" });
    const rotated = { webhook: await getWebhook(trx, act.id), secret };
    await atCommit?.(trx, rotated);
    return rotated;
  });
}

/**
 * Turns a webhook on again that was disabled. What waited for it is sent, unless it is older than three days.
 *
 * @throws {AppError} NOT_FOUND.
 */
export async function enableWebhook(services: Services, act: WebhookAct): Promise<void> {
  await services.db.transaction().execute(async (trx) => {
    await lockWebhook(trx, act);
    const works = { disabled_at: null, disabled_because: null, failures: 0, failing_since: null, rests_until: null };
    const { numUpdatedRows } = await trx.updateTable("webhooks").set(works).where("id", "=", act.id)
      .where("disabled_at", "is not", null).executeTakeFirst();
    if (numUpdatedRows > 0n) await recordChange(trx, services, { ...act, change: "enabled" });
  });
}

/**
 * Begins an act on a webhook: locks it, and the admin who acts.
 *
 * @throws {AppError} NOT_FOUND, also when a user acts who is not an admin now.
 */
export async function lockWebhook(trx: Transaction<Database>, { id, by }: WebhookAct): Promise<void> {
  await lockActor(trx, by);
  const row = await trx.selectFrom("webhooks").select("id").where("id", "=", id).where("deleted_at", "is", null)
    .forNoKeyUpdate().executeTakeFirst();
  if (row === undefined) throw webhookNotFound();
}

async function lockActor(trx: Transaction<Database>, by: Actor): Promise<void> {
  if (by.actorId) await lockForAct(trx, { userId: by.actorId, by });
}

/** Records what someone has done to a webhook. */
export async function recordChange(
  trx: Transaction<Database>,
  { now }: Services,
  { id, by, reason, change }: WebhookAct & { change: string },
): Promise<void> {
  const details = { webhook: id, change, ...reason === undefined ? {} : { reason } };
  await recordEvent(trx, { kind: "webhook.changed", userId: null, ...by, details }, now());
}

/**
 * Deletes deliveries of deleted webhooks, and then these.
 *
 * @returns the number of deliveries in a full batch, which may leave more.
 */
export async function sweepDeletedWebhooks({ db }: Pick<Services, "db">): Promise<number> {
  const deleted = await db.selectFrom("webhooks").select("id").where("deleted_at", "is not", null).execute();
  for (const { id } of deleted) {
    const batch = db.selectFrom("webhook_deliveries").select("id").where("webhook_id", "=", id).limit(BATCH_ROWS);
    const { numDeletedRows } = await db.deleteFrom("webhook_deliveries").where("id", "in", batch).executeTakeFirst();
    if (numDeletedRows === BigInt(BATCH_ROWS)) return BATCH_ROWS;
    await db.deleteFrom("webhooks").where("id", "=", id).execute();
  }
  return 0;
}

function webhookNotFound(): AppError {
  return new AppError("NOT_FOUND", { reason: "webhook" });
}
