import { v7 } from "uuid";
import type { Db } from "../../db/schema.ts";
import type { Config } from "../config/config.ts";
import { resealEach, type Resealed } from "../crypto/reseal.ts";
import { seal, type SealedPlace, secretsOf, unseal } from "../crypto/sealed.ts";
import { DAY_SECONDS, secondsAfter } from "../duration.ts";
import { AppError } from "../errors/errors.ts";
import type { Services } from "../services/services.ts";

/** Source: Standard Webhooks, "Signature scheme": 24 to 64 bytes, in base64 behind this prefix. */
const PREFIX = "whsec_";
const SECRET_BYTES = 32;
/** How long the previous secret signs beside the new one. */
const PREVIOUS_KEPT_SECONDS = DAY_SECONDS;
/** How many secrets may sign. Each adds to the header of every request. */
const MAX_SECRETS = 5;

type SecretServices = Pick<Services, "config" | "now">;

/** Creates a new secret of a webhook. Call it in the transaction that creates or locks the webhook. */
export async function addSecret(db: Db, { config, now }: SecretServices, webhookId: string): Promise<string> {
  const secret = `${PREFIX}${crypto.getRandomValues(new Uint8Array(SECRET_BYTES)).toBase64()}`;
  const id = v7({ msecs: now().getTime() });
  await db.insertInto("webhook_secrets").values({
    id,
    webhook_id: webhookId,
    secret: await seal(secret, secretPlace(id, config)),
    expires_at: null,
  }).execute();
  return secret;
}

/**
 * Replaces the secret of a webhook. The previous one still signs for a day, so that receivers can change it.
 *
 * @throws {AppError} TOO_MANY when too many secrets of the last day still sign.
 */
export async function replaceSecret(db: Db, services: SecretServices, webhookId: string): Promise<string> {
  const now = services.now();
  await db.deleteFrom("webhook_secrets").where("webhook_id", "=", webhookId).where("expires_at", "<=", now).execute();
  const signing = await db.selectFrom("webhook_secrets").select("id").where("webhook_id", "=", webhookId).execute();
  if (signing.length >= MAX_SECRETS) throw new AppError("TOO_MANY", { reason: "webhookSecrets", max: MAX_SECRETS });
  await db.updateTable("webhook_secrets").set({ expires_at: secondsAfter(now, PREVIOUS_KEPT_SECONDS) })
    .where("webhook_id", "=", webhookId).where("expires_at", "is", null).execute();
  return await addSecret(db, services, webhookId);
}

/** Deletes the secrets of a webhook. */
export async function deleteSecrets(db: Db, webhookId: string): Promise<void> {
  await db.deleteFrom("webhook_secrets").where("webhook_id", "=", webhookId).execute();
}

/**
 * Returns the secrets that sign what a webhook gets, the newest first.
 *
 * @throws if one of them cannot be decrypted.
 */
export async function openSecrets({ db, config, now }: Services, webhookId: string): Promise<string[]> {
  const rows = await db.selectFrom("webhook_secrets").select(["id", "secret"]).where("webhook_id", "=", webhookId)
    .where((eb) => eb.or([eb("expires_at", "is", null), eb("expires_at", ">", now())]))
    .orderBy("id", "desc").execute();
  return await Promise.all(rows.map(({ id, secret }) => unseal<string>(secret, secretPlace(id, config))));
}

/**
 * Signs what a webhook gets, once with each secret. Source: Standard Webhooks, "Signature scheme".
 *
 * @returns the header `webhook-signature`.
 */
export async function signWith(
  secrets: string[],
  { id, timestamp, body }: { id: string; timestamp: number; body: string },
): Promise<string> {
  const content = new TextEncoder().encode(`${id}.${timestamp}.${body}`);
  const signatures = secrets.map(async (secret) => {
    const bytes = Uint8Array.fromBase64(secret.slice(PREFIX.length));
    const key = await crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
    return `v1,${new Uint8Array(await crypto.subtle.sign("HMAC", key, content)).toBase64()}`;
  });
  return (await Promise.all(signatures)).join(" ");
}

/** The place of an encrypted secret. The database must not know it. */
export function secretPlace(id: string, config: Config): SealedPlace {
  return { purpose: "webhook", id, ...secretsOf(config) };
}

/** Seals secrets again that a previous APP_SECRET has sealed. */
export async function resealWebhookSecrets({ db, config }: Pick<Services, "db" | "config">): Promise<Resealed> {
  return await resealEach(await db.selectFrom("webhook_secrets").select(["id", "webhook_id", "secret"]).execute(), {
    nameOf: ({ webhook_id: id }) => `secret of webhook ${id}`,
    sealedOf: ({ secret }) => secret,
    placeOf: ({ id }) => secretPlace(id, config),
    store: ({ id }, resealed) =>
      db.updateTable("webhook_secrets").set({ secret: resealed }).where("id", "=", id).execute(),
  });
}
