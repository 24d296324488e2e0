import type { Db } from "../../../db/schema.ts";
import { resealEach, type Resealed, sumOf } from "../../crypto/reseal.ts";
import { seal, type SealedPlace, secretsOf, unseal } from "../../crypto/sealed.ts";
import { errorFields } from "../../log/log.ts";
import type { Services } from "../../services/services.ts";
import { findStep } from "./totp.ts";

/** A code that someone has entered, and the account that it must belong to. */
export interface EnteredCode {
  userId: string;
  code: string;
}

/** The secret of an authenticator app was encrypted with another APP_SECRET, so no code can be checked. */
export class UnreadableSecret extends Error {
  override name = "UnreadableSecret";
}

/** Whether the account has an authenticator app. */
export async function isTotpEnabled(db: Db, userId: string): Promise<boolean> {
  const row = await db.selectFrom("totp_secrets").select("user_id")
    .where("user_id", "=", userId).where("enabled_at", "is not", null).executeTakeFirst();
  return row !== undefined;
}

/**
 * Checks the code of an authenticator app and spends it. Of several concurrent calls with one code, exactly one
 * succeeds: the update decides.
 *
 * @throws {UnreadableSecret}
 */
export async function spendTotp(
  { db, config, now, log }: Pick<Services, "db" | "config" | "now" | "log">,
  { userId, code }: EnteredCode,
): Promise<boolean> {
  const row = await db.selectFrom("totp_secrets").select(["secret", "last_step"])
    .where("user_id", "=", userId).where("enabled_at", "is not", null).executeTakeFirst();
  if (!row?.secret) return false;
  const secret = await unsealSecret(row.secret, { userId, config }).catch((error) => {
    log("error", "codes of authenticator apps cannot be checked: set APP_SECRET to its earlier value", {
      userId,
      ...errorFields(error),
    });
    throw new UnreadableSecret();
  });
  const step = await findStep(code, { secret, time: now(), after: row.last_step });
  if (step === null) return false;
  const { numUpdatedRows } = await db.updateTable("totp_secrets").set({ last_step: step })
    .where("user_id", "=", userId).where("secret", "=", row.secret).where("last_step", "<", step).executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Whose secret it is, and what encrypts it. */
type SecretPlace = Pick<EnteredCode, "userId"> & Pick<Services, "config">;

/** Encrypts a secret for the database. */
export async function sealSecret(secret: string, place: SecretPlace): Promise<string> {
  return await seal(secret, totpPlace(place));
}

/** Decrypts a secret of the database. */
export async function unsealSecret(sealed: string, place: SecretPlace): Promise<string> {
  return await unseal<string>(sealed, totpPlace(place));
}

/** The place of a sealed secret. The database must not know it. */
export function totpPlace({ userId, config }: SecretPlace): SealedPlace {
  return { purpose: "totp_secrets", id: userId, ...secretsOf(config) };
}

/** Seals secrets again that a previous secret has sealed, also those that wait for their first code. */
export async function resealTotpSecrets({ db, config }: Pick<Services, "db" | "config">): Promise<Resealed> {
  const rows = await db.selectFrom("totp_secrets").select(["user_id", "secret", "pending_secret"]).execute();
  const results: Resealed[] = [];
  for (const column of ["secret", "pending_secret"] as const) {
    results.push(
      await resealEach(rows, {
        nameOf: ({ user_id: userId }) => `authenticator app of ${userId}`,
        sealedOf: (row) => row[column],
        placeOf: ({ user_id: userId }) => totpPlace({ userId, config }),
        store: (row, resealed) =>
          db.updateTable("totp_secrets").set({ [column]: resealed })
            .where("user_id", "=", row.user_id).where(column, "=", row[column]).execute(),
      }),
    );
  }
  return sumOf(results);
}
