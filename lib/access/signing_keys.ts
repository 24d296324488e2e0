import { type Selectable, sql } from "kysely";
import { v7 } from "uuid";
import { type Placeholders, prepare } from "../../db/prepared_query.ts";
import type { Db } from "../../db/schema.ts";
import type { PublicKey, SigningKeysTable } from "./tables.ts";
import type { Config } from "../config/config.ts";
import { algorithmOf, createJwtKeys, type JwtKey, type SigningAlgorithm } from "../crypto/jwt.ts";
import { resealEach, type Resealed } from "../crypto/reseal.ts";
import { seal, type SealedPlace, secretsOf, unseal } from "../crypto/sealed.ts";
import { DAY_SECONDS, HOUR_SECONDS, secondsAfter } from "../duration.ts";
import { AppError } from "../errors/errors.ts";
import type { Services } from "../services/services.ts";

/** The keys that sign access tokens and ID tokens. All instances share them. */

/** How long a key signs before a new one replaces it. */
const SIGNING_SECONDS = 90 * DAY_SECONDS;
/** How long a key is still published after that. Tokens that it has signed are valid for a much shorter time. */
const PUBLISHED_LONGER_SECONDS = DAY_SECONDS;
/** How long a new key is published before it signs. Products may have cached the list without it. */
const PUBLISHED_EARLIER_SECONDS = HOUR_SECONDS;
const LOCK = "foyer signing keys";

/** How long a program waits that comes while there is no RSA key. */
const RETRY_AFTER_SECONDS = 5;

/** A public key as products read it. Source: RFC 7517, 4. */
export type PublishedKey = PublicKey & { kid: string; use: "sig"; alg: SigningAlgorithm };

/**
 * Returns the key that signs now. Creates one for ES256 if needed. One for RS256 takes too long to make for a request.
 *
 * @throws {AppError} UNAVAILABLE if there is no key for RS256.
 */
export async function getSigningKey(services: Services, algorithm: SigningAlgorithm): Promise<JwtKey> {
  const [key] = await getSigningKeys(services, [algorithm]);
  return key;
}

/** The ids of all keys, to select with something else. */
export const SIGNING_KEY_IDS = sql<string[]>`array(select id from signing_keys order by id)`;

/**
 * Does the same for several algorithms, with one query at most.
 *
 * @param ids the {@linkcode SIGNING_KEY_IDS} that the request has just selected. If they have not changed since the
 * last call, the keys are not read again: a key never changes, except for its sealed form.
 */
export async function getSigningKeys(
  services: Services,
  algorithms: SigningAlgorithm[],
  ids?: string[],
): Promise<JwtKey[]> {
  const known = ids === undefined
    ? await listRows(services.db, { now: services.now() })
    : await rowsReadOnce(services, ids.join());
  return await Promise.all(algorithms.map((algorithm) => signingKeyOf(services, algorithm, known)));
}

async function signingKeyOf(services: Services, algorithm: SigningAlgorithm, known: KeyRow[]): Promise<JwtKey> {
  const now = services.now();
  const own = ofAlgorithm(known, algorithm);
  const rows = algorithm === "ES256" ? await renewedRows(services, algorithm, own) : own;
  const key = await firstReadable(services, rows.filter((row) => row.signs_from <= now)) ??
    // Another instance, whose clock is ahead of ours, has just created the first key.
    await firstReadable(services, rows.toReversed());
  if (key !== null) return key;
  const cause = new Error(`Cannot find a key for ${algorithm}: this instance can read none of ${rows.length}`);
  if (algorithm === "ES256") throw cause;
  throw new AppError("UNAVAILABLE", { reason: "busy", retryAfterSeconds: RETRY_AFTER_SECONDS, cause });
}

/** Returns the public keys: the current, next and recent ones. */
export async function listPublicKeys(services: Services): Promise<PublishedKey[]> {
  const { db, now, config } = services;
  const known = await listRows(db, { now: now() });
  // Products may ask before the first token is issued, and then keep what they got.
  const isMissing = ofAlgorithm(known, "ES256").length === 0 && algorithmsOf(config).includes("ES256");
  const rows = isMissing ? [...await renewedRows(services, "ES256"), ...known] : known;
  return rows.map(({ id: kid, public_key: key }) => ({ ...publicPart(key), kid, use: "sig", alg: algorithmOf(key) }));
}

/**
 * Creates the next keys in time, so that they are published before they sign. Does nothing where no tokens are issued.
 *
 * @returns 0: there is never more to do.
 */
export async function renewSigningKeys(services: Services): Promise<number> {
  for (const algorithm of algorithmsOf(services.config)) await renewedRows(services, algorithm);
  return 0;
}

/**
 * Creates the keys that no request may create. Call it before requests are served, and after {@linkcode
 * discardSigningKeys}.
 */
export async function prepareSigningKeys(services: SigningServices): Promise<void> {
  if (algorithmsOf(services.config).includes("RS256")) await prepareKeysOfClients(services);
}

/** Creates the key that the first client needs and that no request of a client may create. */
export async function prepareKeysOfClients(services: SigningServices): Promise<void> {
  await renewedRows(services, "RS256");
}

/** Access tokens are ES256. Clients choose the algorithm of their ID tokens. */
function algorithmsOf(
  { tokenAudiences, registrations, clientDocuments }: Pick<
    Config,
    "tokenAudiences" | "registrations" | "clientDocuments"
  >,
) {
  const hasClients = clientDocuments !== null || registrations !== null && registrations.clients.size > 0;
  const algorithms: SigningAlgorithm[] = [];
  if (tokenAudiences.length > 0 || hasClients) algorithms.push("ES256");
  if (hasClients) algorithms.push("RS256");
  return algorithms;
}

/** Only what is public, whatever else the row might have. */
function publicPart(key: PublicKey): PublicKey {
  if (key.kty === "RSA") return { kty: key.kty, n: key.n, e: key.e };
  return { kty: key.kty, crv: key.crv, x: key.x, y: key.y };
}

/**
 * Discards all keys at once: no token that they signed is valid any longer. The next token gets a new key, except for
 * RS256: {@linkcode prepareSigningKeys} makes that one.
 */
export async function discardSigningKeys(db: Db): Promise<number> {
  return Number((await db.deleteFrom("signing_keys").executeTakeFirst()).numDeletedRows);
}

/** Seals keys again that a previous secret has sealed. */
export async function resealSigningKeys({ db, config }: Pick<Services, "db" | "config">): Promise<Resealed> {
  return await resealEach(await db.selectFrom("signing_keys").select(["id", "private_key"]).execute(), {
    nameOf: ({ id }) => `signing key ${id}`,
    sealedOf: ({ private_key: sealed }) => sealed,
    placeOf: ({ id }) => signingKeyPlace({ config }, id),
    store: ({ id }, resealed) =>
      db.updateTable("signing_keys").set({ private_key: resealed }).where("id", "=", id).execute(),
  });
}

type KeyRow = Selectable<SigningKeysTable>;
type SigningServices = Pick<Services, "db" | "now" | "config">;

/**
 * Creates a key of this algorithm if one is due, and returns all of them. Of instances that do so at once, one creates
 * it and all find it.
 */
async function renewedRows(
  services: SigningServices,
  algorithm: SigningAlgorithm,
  known?: KeyRow[],
): Promise<KeyRow[]> {
  const { db, now: currentTime } = services;
  const now = currentTime();
  const rows = known ?? await listRows(db, { now, algorithm });
  if (await nextStart(services, rows, now) === null) return rows;
  const { publicKey, privateKey } = await createJwtKeys(algorithm);
  const id = v7({ msecs: now.getTime() });
  const sealed = await seal(privateKey, signingKeyPlace(services, id));
  return await db.transaction().execute(async (trx) => {
    await sql`select pg_advisory_xact_lock(hashtext(${LOCK}))`.execute(trx);
    const signsFrom = await nextStart(services, await listRows(trx, { now, algorithm }), now);
    if (signsFrom !== null) {
      await trx.insertInto("signing_keys").values({
        id,
        public_key: JSON.stringify(publicKey),
        private_key: sealed,
        signs_from: signsFrom,
        expires_at: secondsAfter(signsFrom, SIGNING_SECONDS + PUBLISHED_LONGER_SECONDS),
      }).execute();
    }
    return await listRows(trx, { now, algorithm });
  });
}

/**
 * Returns when the next key starts to sign, or null if none is due. A key that this instance cannot decrypt does not
 * count: APP_SECRET has changed since it was made.
 */
async function nextStart(services: SigningServices, rows: KeyRow[], now: Date): Promise<Date | null> {
  const newest = await firstReadable(services, rows);
  if (newest === null) return now;
  const end = secondsAfter(newest.signsFrom, SIGNING_SECONDS);
  if (end <= now) return now;
  return secondsAfter(end, -PUBLISHED_EARLIER_SECONDS) <= now ? end : null;
}

/** Returns the keys to publish, of one algorithm or of all, the last to sign first. */
async function listRows(
  db: Db,
  { now, algorithm }: { now: Date; algorithm?: SigningAlgorithm },
): Promise<KeyRow[]> {
  const rows = await selectKeys(db, { now });
  return algorithm === undefined ? rows : ofAlgorithm(rows, algorithm);
}

/** The keys that a configuration has read last, and the ids of all keys just before. */
const lastRead = new WeakMap<Config, { ids: string; rows: KeyRow[] }>();

async function rowsReadOnce({ db, now: currentTime, config }: SigningServices, ids: string): Promise<KeyRow[]> {
  const now = currentTime();
  const last = lastRead.get(config);
  if (last?.ids === ids) return last.rows.filter(({ expires_at: expiresAt }) => expiresAt > now);
  const rows = await listRows(db, { now });
  lastRead.set(config, { ids, rows });
  return rows;
}

const selectKeys = prepare((db, { now }: Placeholders<{ now: Date }>) =>
  db.selectFrom("signing_keys").select(["id", "public_key", "private_key", "signs_from", "expires_at"])
    .where("expires_at", ">", now).orderBy("signs_from", "desc").orderBy("id", "desc")
);

function ofAlgorithm(rows: KeyRow[], algorithm: SigningAlgorithm): KeyRow[] {
  return rows.filter(({ public_key: key }) => algorithmOf(key) === algorithm);
}

async function firstReadable(
  services: SigningServices,
  rows: KeyRow[],
): Promise<JwtKey & { signsFrom: Date } | null> {
  for (const row of rows) {
    const { id, public_key: publicKey, signs_from: signsFrom } = row;
    const privateKey = await openOnce(services, row);
    if (privateKey !== null) return { id, algorithm: algorithmOf(publicKey), privateKey, signsFrom };
  }
  return null;
}

/** The keys that a configuration has opened, by their sealed form. */
const opened = new WeakMap<Config, Map<string, JsonWebKey>>();
/** More than are in use at a time. */
const MAX_OPENED = 16;

/** Opens a key, at its first use. Returns null if this instance cannot read it. */
async function openOnce(services: SigningServices, { id, private_key: sealed }: KeyRow): Promise<JsonWebKey | null> {
  const keys = opened.get(services.config) ?? new Map<string, JsonWebKey>();
  opened.set(services.config, keys);
  const name = `${id} ${sealed}`;
  const known = keys.get(name);
  if (known !== undefined) return known;
  const key = await unseal<JsonWebKey>(sealed, signingKeyPlace(services, id)).catch(() => null);
  if (key === null) return null;
  if (keys.size >= MAX_OPENED) keys.clear();
  keys.set(name, key);
  return key;
}

/** The place of a sealed key. The database must not know it. */
export function signingKeyPlace({ config }: Pick<Services, "config">, id: string): SealedPlace {
  return { purpose: "signing key", id, ...secretsOf(config) };
}
