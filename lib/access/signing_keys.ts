import { type Selectable, sql } from "kysely";
import { v7 } from "uuid";
import type { Db, PublicKey, SigningKeysTable } from "../../db/schema.ts";
import { createJwtKeys } from "../crypto/jwt.ts";
import { resealEach, type Resealed } from "../crypto/reseal.ts";
import { seal, type SealedPlace, secretsOf, unseal } from "../crypto/sealed.ts";
import { DAY_SECONDS, HOUR_SECONDS, secondsAfter } from "../duration.ts";
import type { Services } from "../services.ts";

/** The keys that sign access tokens. All instances share them. */

/** How long a key signs before a new one replaces it. */
const SIGNING_SECONDS = 90 * DAY_SECONDS;
/** How long a key is still published after that. Tokens that it has signed are valid for a much shorter time. */
const PUBLISHED_LONGER_SECONDS = DAY_SECONDS;
/** How long a new key is published before it signs. Products may have cached the list without it. */
const PUBLISHED_EARLIER_SECONDS = HOUR_SECONDS;
const LOCK = "foyer signing keys";

/** A key that signs. */
export interface SigningKey {
  id: string;
  privateKey: JsonWebKey;
}

/** A public key as products read it. Source: RFC 7517, 4. */
export interface PublishedKey extends PublicKey {
  kid: string;
  use: "sig";
  alg: "ES256";
}

/** Returns the key that signs now. Creates one if needed. */
export async function getSigningKey(services: Services): Promise<SigningKey> {
  const now = services.now();
  const rows = await renewedRows(services);
  const key = await firstReadable(services, rows.filter((row) => row.signs_from <= now)) ??
    // Another instance, whose clock is ahead of ours, has just created the first key.
    await firstReadable(services, rows.toReversed());
  if (key === null) throw new Error(`Cannot find a signing key: this instance can read none of ${rows.length}`);
  return key;
}

/** Returns the public keys: the one that signs, the next one, and recent ones. */
export async function listPublicKeys(services: Services): Promise<PublishedKey[]> {
  const { db, now, config } = services;
  const known = await listRows(db, now());
  // Products may ask before the first token is issued.
  const rows = known.length === 0 && config.tokenAudiences.length > 0 ? await renewedRows(services) : known;
  return rows.map(({ id: kid, public_key: { kty, crv, x, y } }) => ({ kty, crv, x, y, kid, use: "sig", alg: "ES256" }));
}

/**
 * Creates the next key in time, so that it is published before it signs. Does nothing where no tokens are issued.
 *
 * @returns 0: there is never more to do.
 */
export async function renewSigningKeys(services: Services): Promise<number> {
  if (services.config.tokenAudiences.length > 0) await renewedRows(services);
  return 0;
}

/** Discards all keys at once: no token that they signed is valid any longer. The next token gets a new key. */
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

/** Creates a key if one is due, and returns all. Of instances that do so at once, one creates it and all find it. */
async function renewedRows(services: Services): Promise<KeyRow[]> {
  const { db, now: currentTime } = services;
  const now = currentTime();
  const rows = await listRows(db, now);
  if (await nextStart(services, rows, now) === null) return rows;
  const { publicKey, privateKey } = await createJwtKeys();
  const id = v7({ msecs: now.getTime() });
  const sealed = await seal(privateKey, signingKeyPlace(services, id));
  return await db.transaction().execute(async (trx) => {
    await sql`select pg_advisory_xact_lock(hashtext(${LOCK}))`.execute(trx);
    const signsFrom = await nextStart(services, await listRows(trx, now), now);
    if (signsFrom !== null) {
      await trx.insertInto("signing_keys").values({
        id,
        public_key: JSON.stringify(publicKey),
        private_key: sealed,
        signs_from: signsFrom,
        expires_at: secondsAfter(signsFrom, SIGNING_SECONDS + PUBLISHED_LONGER_SECONDS),
      }).execute();
    }
    return await listRows(trx, now);
  });
}

/**
 * Returns when the next key starts to sign, or null if none is due. A key that this instance cannot decrypt does not
 * count: APP_SECRET has changed since it was made.
 */
async function nextStart(services: Services, rows: KeyRow[], now: Date): Promise<Date | null> {
  const newest = await firstReadable(services, rows);
  if (newest === null) return now;
  const end = secondsAfter(newest.signsFrom, SIGNING_SECONDS);
  if (end <= now) return now;
  return secondsAfter(end, -PUBLISHED_EARLIER_SECONDS) <= now ? end : null;
}

/** Returns the keys to publish, the last to sign first. */
function listRows(db: Db, now: Date): Promise<KeyRow[]> {
  return db.selectFrom("signing_keys").select(["id", "public_key", "private_key", "signs_from", "expires_at"])
    .where("expires_at", ">", now).orderBy("signs_from", "desc").orderBy("id", "desc").execute();
}

async function firstReadable(
  services: Services,
  rows: KeyRow[],
): Promise<SigningKey & { signsFrom: Date } | null> {
  for (const { id, private_key: sealed, signs_from: signsFrom } of rows) {
    const privateKey = await unseal<JsonWebKey>(sealed, signingKeyPlace(services, id)).catch(() => null);
    if (privateKey !== null) return { id, privateKey, signsFrom };
  }
  return null;
}

/** The place of a sealed key. The database must not know it. */
export function signingKeyPlace({ config }: Pick<Services, "config">, id: string): SealedPlace {
  return { purpose: "signing key", id, ...secretsOf(config) };
}
