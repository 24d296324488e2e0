import { discardSigningKeys, prepareSigningKeys, resealSigningKeys, signingKeyPlace } from "../access/signing_keys.ts";
import { type Resealed, sumOf } from "../crypto/reseal.ts";
import { type SealedPlace, unseal } from "../crypto/sealed.ts";
import { refreshKeyPlace, resealRefreshKeys } from "../grants/refresh_key.ts";
import { payloadPlace, resealMails } from "../mail/outbox.ts";
import type { Services } from "../services/services.ts";
import { resealTotpSecrets, totpPlace } from "../sign_in/second_factor/totp_secret.ts";
import { resealWebhookSecrets, secretPlace } from "../webhooks/webhook_secret.ts";
import { endAllAccess } from "../access/access_end.ts";
import { type Actor, COMMAND_LINE } from "../activity/events.ts";
import { voidCodes } from "../mail/links/emailed_code.ts";
import { voidLinks } from "../mail/links/emailed_token.ts";
import { TOKEN_TABLES } from "../mail/kinds.ts";

/** What a revocation cannot do. The command prints it; docs/operations.md says more. */
const AFTER_REVOCATION: string[] = [
  "Remove the leaked secret from APP_SECRET_PREVIOUS and restart all instances. Until then it opens what it has sealed.",
  "If the database may have leaked too, ask people with an authenticator app to set up a new one.",
  "Ask products to load /.well-known/jwks.json again if they keep it for longer than an hour.",
  "Look through the events since the leak, and tell people about those that nobody can explain.",
];

/**
 * Seals again what previous secrets have sealed for long: keys of access tokens and of refresh tokens, secrets of
 * authenticator apps and of webhooks, and emails that wait. Codes, challenges, upload URLs and stored responses end by
 * themselves within days.
 */
export async function resealAll(services: Pick<Services, "db" | "config">): Promise<Resealed> {
  return sumOf([
    await resealSigningKeys(services),
    await resealTotpSecrets(services),
    await resealMails(services),
    await resealWebhookSecrets(services),
    await resealRefreshKeys(services),
  ]);
}

/**
 * Opens the oldest value of each kind that {@linkcode resealAll} seals again: newer ones may be of a wrong secret, with
 * which the service has started.
 *
 * @returns how many were tried, and names of those that no secret opens.
 */
export async function tryToOpen({ db, config }: Pick<Services, "db" | "config">): Promise<Resealed> {
  const key = await db.selectFrom("signing_keys").select(["id", "private_key"]).orderBy("signs_from")
    .executeTakeFirst();
  const app = await db.selectFrom("totp_secrets").select(["user_id as userId", "secret"])
    .where("secret", "is not", null).orderBy("user_id").executeTakeFirst();
  const webhook = await db.selectFrom("webhook_secrets").select(["id", "webhook_id", "secret"]).orderBy("id")
    .executeTakeFirst();
  const grant = await db.selectFrom("grants").select(["id", "refresh_key"]).where("refresh_key", "is not", null)
    .orderBy("id").executeTakeFirst();
  const mail = await db.selectFrom("outbox").select(["id", "payload"]).where("status", "=", "pending")
    .orderBy("id").executeTakeFirst();
  return await openEach([
    key && { name: `signing key ${key.id}`, sealed: key.private_key, place: signingKeyPlace({ config }, key.id) },
    app && { name: `authenticator app of ${app.userId}`, sealed: app.secret, place: totpPlace({ ...app, config }) },
    webhook && {
      name: `secret of webhook ${webhook.webhook_id}`,
      sealed: webhook.secret,
      place: secretPlace(webhook.id, config),
    },
    grant && {
      name: `refresh token key of grant ${grant.id}`,
      sealed: grant.refresh_key,
      place: refreshKeyPlace(grant.id, config),
    },
    mail && { name: `email ${mail.id}`, sealed: mail.payload, place: payloadPlace(mail.id, config) },
  ]);
}

/** A stored value. */
interface SealedValue {
  name: string;
  sealed: string | null;
  place: SealedPlace;
}

async function openEach(values: (SealedValue | undefined)[]): Promise<Resealed> {
  const result: Resealed = { count: 0, unreadable: [] };
  for (const value of values) {
    if (value === undefined || value.sealed === null) continue;
    result.count++;
    await unseal(value.sealed, value.place).catch(() => result.unreadable.push(value.name));
  }
  return result;
}

/** What a revocation has ended. */
interface Revoked {
  signingKeys: number;
  sessions: number;
  tokens: number;
}

/**
 * Ends what someone may hold who knows APP_SECRET and the database: the keys of access tokens, all sessions and API
 * tokens, and all emailed links and codes. Nothing is forgotten: people log in again as they are used to.
 */
export async function revokeSecrets(services: Pick<Services, "db" | "now" | "config">, by: Actor): Promise<Revoked> {
  const { db } = services;
  // The links come first: nothing may open a session that is not ended.
  await voidLinks(db, undefined, ...TOKEN_TABLES);
  await voidCodes(db);
  const signingKeys = await discardSigningKeys(db);
  await prepareSigningKeys(services);
  return { signingKeys, ...await endAllAccess(services, { reason: "secrets_revoked", by }) };
}

/**
 * Seals everything again that a previous secret has sealed, and reports it.
 *
 * @throws {Error} when a value opens with no secret. All others have been sealed again.
 */
export async function reportReseal(services: Services): Promise<{ text: string; value: unknown }> {
  const { count, unreadable } = await resealAll(services);
  const text = `Values sealed again with APP_SECRET: ${count}.`;
  if (unreadable.length === 0) return { text, value: { resealed: count } };
  throw new Error(
    `${text} No secret opens these: ${unreadable.join(", ")}. Add the secret that sealed them to APP_SECRET_PREVIOUS.`,
  );
}

/** Ends what someone may hold who knows APP_SECRET, and reports it. */
export async function reportRevocation(services: Services): Promise<{ text: string; value: unknown }> {
  const value = await revokeSecrets(services, COMMAND_LINE);
  const { sessions, tokens, signingKeys } = value;
  const lines = [
    `Ended: ${sessions} sessions, ${tokens} API tokens, ${signingKeys} keys of access tokens, all links and codes.`,
    "What else to do:",
    ...AFTER_REVOCATION.map((line, i) => `${i + 1}. ${line}`),
  ];
  return { text: lines.join("\n"), value };
}
