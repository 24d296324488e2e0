import type { Transaction } from "kysely";
import type { AtCommit } from "../../db/at_commit.ts";
import type { Database } from "../../db/schema.ts";
import { prepareKeysOfClients } from "../access/signing_keys.ts";
import { type Actor, recordEvent } from "../activity/events.ts";
import {
  addSecret,
  insertClient,
  lockClient,
  type NewSecret,
  removeClient,
  removeSecret,
  updateClient,
} from "../clients/made_client.ts";
import { type MadeFields, requireFittingFields } from "../clients/made_client_schema.ts";
import { LOGO_SIDE, putLogo, removeLogo } from "../clients/logo.ts";
import { findClient, holdClient, refreshClients } from "../clients/registrations.ts";
import { AppError, validationFailed } from "../errors/errors.ts";
import { requireGroups } from "../groups/membership.ts";
import { sendAlert } from "../mail/links/alert.ts";
import type { Services } from "../services/services.ts";
import { requireImageType } from "../uploads/image.ts";
import { pictureType } from "../uploads/rules.ts";
import type { ImageFile } from "../uploads/schema.ts";
import { lockAdmins } from "../users/user_lock.ts";
import { endGrantsInBatches } from "./client_grants.ts";

/** Who makes or changes an app, and why. */
interface AppAct {
  by: Actor;
  /** For other admins. It becomes part of the event. */
  reason: string;
}

/** An app that is there. */
type ActOnApp = AppAct & { id: string };

/** An app that has just been made. */
export interface CreatedClient {
  id: string;
  secret: NewSecret | null;
}

/**
 * Makes an app in the browser. All admins get word of it, as of every act here. Other instances let it in at once, and
 * list it within five seconds.
 *
 * @param app.hasSecret whether it gets its first secret at once.
 * @throws {AppError} VALIDATION_FAILED; TOO_MANY.
 */
export async function createClient(
  services: Services,
  { fields, hasSecret = false, by, reason }: AppAct & { fields: MadeFields; hasSecret?: boolean },
  atCommit?: AtCommit<CreatedClient>,
): Promise<CreatedClient> {
  requireFittingFields(services.config, fields, { isPublic: !hasSecret });
  await requirePublicAddress(services, fields);
  await prepareKeysOfClients(services);
  const now = services.now();
  const created = await services.db.transaction().execute(async (trx) => {
    const admins = await lockAdmins(trx, by);
    await requireGroups(trx, fields.groups ?? []);
    const id = await insertClient(trx, { fields, now });
    const secret = hasSecret ? await addSecret(trx, { id, now }) : null;
    const details = { app: id, name: fields.client_name, reason };
    await recordEvent(trx, { kind: "client.created", userId: null, ...by, details }, now);
    await alertAdmins(trx, services, { admins, by, app: fields.client_name, change: "created", now });
    await atCommit?.(trx, { id, secret });
    return { id, secret };
  });
  await refreshClients(services);
  return created;
}

/**
 * Gives an app other fields.
 *
 * @throws {AppError} NOT_FOUND; MANAGED_BY_FILE; VALIDATION_FAILED.
 */
export async function changeClient(
  services: Services,
  { id, fields, by, reason }: ActOnApp & { fields: MadeFields },
): Promise<void> {
  await requirePublicAddress(services, fields);
  await change(services, { id, by, reason }, async (trx, { fields: before, secretsMade }) => {
    requireFittingFields(services.config, fields, { isPublic: secretsMade === 0 });
    await requireGroups(trx, fields.groups ?? []);
    await updateClient(trx, { id, fields });
    return changedFields(before, fields);
  });
}

/**
 * Makes a secret for an app, beside the one that it may have. With its first one, it is no longer public.
 *
 * @throws {AppError} NOT_FOUND; MANAGED_BY_FILE; TOO_MANY; VALIDATION_FAILED if an address is only for public apps.
 */
export async function createSecret(
  services: Services,
  act: ActOnApp,
  atCommit?: AtCommit<NewSecret>,
): Promise<NewSecret> {
  let made: NewSecret | undefined;
  await change(services, act, async (trx, { fields }) => {
    requireFittingFields(services.config, fields, { isPublic: false });
    made = await addSecret(trx, { id: act.id, now: services.now() });
    await atCommit?.(trx, made);
    return ["secret"];
  });
  return made!;
}

/**
 * Deletes a secret of an app. Without any, an app that has had one gets no tokens until it has a new one.
 *
 * @throws {AppError} NOT_FOUND, of the app or of the secret; MANAGED_BY_FILE.
 */
export async function deleteSecret(services: Services, { n, ...act }: ActOnApp & { n: number }): Promise<void> {
  await change(services, act, async (trx) => {
    if (!await removeSecret(trx, { id: act.id, n })) throw new AppError("NOT_FOUND", { reason: "secret" });
    return ["secret"];
  });
}

/**
 * Deletes an app. No instance lets it in any longer. Its grants end, and what people have allowed it is forgotten.
 *
 * @throws {AppError} NOT_FOUND; MANAGED_BY_FILE.
 */
export async function deleteClient(services: Services, { id, by, reason }: ActOnApp): Promise<void> {
  const now = services.now();
  await services.db.transaction().execute(async (trx) => {
    const admins = await lockAdmins(trx, by);
    const { fields } = await lockClient(trx, services.config, id);
    const name = fields.client_name;
    await removeClient(trx, { id, fields, now });
    const details = { app: id, name, reason };
    await recordEvent(trx, { kind: "client.deleted", userId: null, ...by, details }, now);
    await alertAdmins(trx, services, { admins, by, app: name, change: "deleted", now });
  });
  await refreshClients(services);
  await endGrantsInBatches(services, { clientId: id, by, reason, forgets: true });
}

/**
 * Gives an app a logo, also one of CLIENTS_FILE. It is converted, and served from here.
 *
 * @throws {AppError} NOT_FOUND; those of an image, as {@linkcode uploadImage} does.
 */
export async function setClientLogo(
  services: Services,
  { file, ...act }: ActOnApp & { file: ImageFile },
): Promise<void> {
  const { name, contentType: type, image } = file;
  const contentType = requireImageType({ ...file, contentType: pictureType({ name, type }, image.start) });
  const options = { contentType, maxDimension: LOGO_SIDE, variantWidths: [], owner: act.by.actorId ?? undefined };
  const { bytes } = await services.images.toWebp(image, options);
  await changeLogo(services, act, (trx) => putLogo(trx, { clientId: act.id, image: bytes }));
}

/**
 * Removes the logo of an app.
 *
 * @throws {AppError} NOT_FOUND, of the app or of its logo.
 */
export async function removeClientLogo(services: Services, act: ActOnApp): Promise<void> {
  await changeLogo(services, act, async (trx) => {
    if (!await removeLogo(trx, act.id)) throw new AppError("NOT_FOUND", { reason: "logo" });
  });
}

async function changeLogo(
  services: Services,
  { id, by, reason }: ActOnApp,
  run: (trx: Transaction<Database>) => Promise<void>,
): Promise<void> {
  const now = services.now();
  const client = await findClient(services, id);
  if (client === null) throw new AppError("NOT_FOUND", { reason: "app" });
  await services.db.transaction().execute(async (trx) => {
    const admins = await lockAdmins(trx, by);
    await holdClient(trx, client);
    await run(trx);
    await recordChange(trx, services, { id, name: client.name, fields: ["logo"], by, reason, admins, now });
  });
}

/** Runs a change of an app, which returns what has changed. Nothing is recorded if that is nothing. */
async function change(
  services: Services,
  { id, by, reason }: ActOnApp,
  run: (trx: Transaction<Database>, app: Awaited<ReturnType<typeof lockClient>>) => Promise<string[]>,
): Promise<void> {
  const now = services.now();
  await services.db.transaction().execute(async (trx) => {
    const admins = await lockAdmins(trx, by);
    const app = await lockClient(trx, services.config, id);
    const fields = await run(trx, app);
    if (fields.length === 0) return;
    await recordChange(trx, services, { id, name: app.fields.client_name, fields, by, reason, admins, now });
  });
  await refreshClients(services);
}

async function recordChange(
  trx: Transaction<Database>,
  services: Services,
  { id, name, fields, by, reason, admins, now }: ActOnApp & {
    name: string;
    fields: string[];
    admins: string[];
    now: Date;
  },
): Promise<void> {
  const details = { app: id, name, fields, reason };
  await recordEvent(trx, { kind: "client.changed", userId: null, ...by, details }, now);
  await alertAdmins(trx, services, { admins, by, app: name, change: "changed", now });
}

/** Only CLIENTS_FILE may send logout tokens to inside addresses. */
async function requirePublicAddress(
  { webhooks }: Services,
  { backchannel_logout_uri: uri }: MadeFields,
): Promise<void> {
  if (uri === undefined || await webhooks.mayPost(uri)) return;
  throw validationFailed({ backchannel_logout_uri: [{ rule: "publicAddress" }] });
}

function changedFields(before: MadeFields, after: MadeFields): string[] {
  const names = Object.keys({ ...before, ...after }) as (keyof MadeFields)[];
  return names.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name])).sort();
}

/** The caller has locked the admins. */
async function alertAdmins(
  trx: Transaction<Database>,
  services: Services,
  { admins, by, app, change, now }: { admins: string[]; by: Actor; app: string; change: string; now: Date },
): Promise<void> {
  const client = by.client ?? { address: "", userAgent: null };
  for (const userId of admins) {
    await sendAlert(trx, services, { kind: "client_changed", userId, client, now, details: { app, change } });
  }
}
