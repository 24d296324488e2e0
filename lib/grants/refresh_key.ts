import type { Db } from "../../db/schema.ts";
import type { Config } from "../config/config.ts";
import { resealEach, type Resealed, sumOf } from "../crypto/reseal.ts";
import { seal, type SealedPlace, secretsOf, unseal } from "../crypto/sealed.ts";
import { PAGE_ROWS, pagesOf } from "../../db/row_pages.ts";

/** The keys of refresh tokens: 32 random bytes for each grant, sealed in its row. */

const KEY_BYTES = 32;
type Secrets = Pick<Config, "appSecret" | "previousAppSecrets">;

/** Creates the key of a grant, and its sealed form. */
export async function createRefreshKey(
  config: Secrets,
  grantId: string,
): Promise<{ key: Uint8Array<ArrayBuffer>; sealed: string }> {
  const key = crypto.getRandomValues(new Uint8Array(KEY_BYTES));
  return { key, sealed: await seal(key.toBase64(), refreshKeyPlace(grantId, config)) };
}

/** Opens the key of a grant. Returns null if APP_SECRET has changed since it was sealed. */
export async function openRefreshKey(
  config: Secrets,
  { id, sealed }: { id: string; sealed: string },
): Promise<Uint8Array<ArrayBuffer> | null> {
  const key = await unseal<string>(sealed, refreshKeyPlace(id, config)).catch(() => null);
  return key === null ? null : Uint8Array.fromBase64(key);
}

/** Seals keys again that a previous secret has sealed. There may be many, so they are read in parts. */
export async function resealRefreshKeys({ db, config }: { db: Db; config: Secrets }): Promise<Resealed> {
  const results: Resealed[] = [];
  const pages = pagesOf(
    "id",
    (after) =>
      db.selectFrom("grants").select(["id", "refresh_key"]).where("refresh_key", "is not", null)
        .where("id", ">", after).orderBy("id").limit(PAGE_ROWS).execute(),
  );
  for await (const rows of pages) {
    results.push(
      await resealEach(rows, {
        nameOf: ({ id }) => `refresh token key of grant ${id}`,
        sealedOf: (row) => row.refresh_key,
        placeOf: ({ id }) => refreshKeyPlace(id, config),
        store: ({ id, refresh_key: former }, resealed) =>
          db.updateTable("grants").set({ refresh_key: resealed })
            .where("id", "=", id).where("refresh_key", "=", former).execute(),
      }),
    );
  }
  return sumOf(results);
}

/** The place of a sealed key. The database must not know it. */
export function refreshKeyPlace(grantId: string, config: Secrets): SealedPlace {
  return { purpose: "refresh token key", id: grantId, ...secretsOf(config) };
}
