import type { Transaction } from "kysely";
import type { Database, Db } from "../../db/schema.ts";
import { fingerprint } from "../brand/brand.ts";
import type { Config } from "../config/config.ts";
import { CLIENT_ID } from "../config/registered_client.ts";

/** The logos of apps: of those that were made in the browser, and of those of CLIENTS_FILE. */

/** The longer side of a logo, in pixels: three times what pages show. */
export const LOGO_SIDE = 128;

/** A logo, as WebP. */
export interface ClientLogo {
  image: Uint8Array<ArrayBuffer>;
  /** Changes with the image. */
  version: string;
}

/** Finds the logo of an app, or null. */
export async function findLogo(db: Db, clientId: string): Promise<ClientLogo | null> {
  if (!CLIENT_ID.test(clientId)) return null;
  const row = await db.selectFrom("client_logos").select(["image", "version"]).where("client_id", "=", clientId)
    .executeTakeFirst();
  return row === undefined ? null : { image: Uint8Array.fromBase64(row.image), version: row.version };
}

/** Returns the addresses of the logos that some apps have, by the id of the app. */
export async function logoAddresses(
  { db, config: { baseUrl } }: { db: Db; config: Pick<Config, "baseUrl"> },
  clientIds: string[],
): Promise<Map<string, string>> {
  const rows = await db.selectFrom("client_logos").select(["client_id", "version"]).where("client_id", "in", clientIds)
    .execute();
  return new Map(rows.map(({ client_id: id, version }) => [id, `${baseUrl}/app-logos/${id}?v=${version}`]));
}

/** Gives an app a logo, in place of the one that it may have. */
export async function putLogo(
  trx: Transaction<Database>,
  { clientId, image }: { clientId: string; image: Uint8Array },
): Promise<void> {
  const row = { image: image.toBase64(), version: fingerprint(image) };
  await trx.insertInto("client_logos").values({ client_id: clientId, ...row })
    .onConflict((conflict) => conflict.column("client_id").doUpdateSet(row)).execute();
}

/** Removes the logo of an app. Returns whether it had one. */
export async function removeLogo(trx: Transaction<Database>, clientId: string): Promise<boolean> {
  const { numDeletedRows } = await trx.deleteFrom("client_logos").where("client_id", "=", clientId).executeTakeFirst();
  return numDeletedRows > 0n;
}
