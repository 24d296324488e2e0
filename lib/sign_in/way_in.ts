import { sql } from "kysely";
import type { Db } from "../../db/schema.ts";
import { AppError } from "../errors/errors.ts";
import { mayUsePassword } from "../config/passwords_setting.ts";
import type { Services } from "../services/services.ts";

/** The account, and the doors that are open: no one can log in with a provider that is not configured. */
interface Ways extends Pick<Services, "config" | "providers"> {
  userId: string;
}

/** Whether an account has a password, a passkey or an identity with which its owner can log in. */
async function hasWayIn(db: Db, { userId, config, providers }: Ways): Promise<boolean> {
  const keys = [...providers.keys()];
  const row = await db.selectFrom("users").select("id").where("id", "=", userId)
    .where((eb) =>
      eb.or([
        ...mayUsePassword(config, "open") ? [eb("password_hash", "is not", null)] : [],
        eb.exists(eb.selectFrom("passkeys").select("id").whereRef("passkeys.user_id", "=", "users.id")),
        eb.exists(
          eb.selectFrom("identities").select("id").whereRef("identities.user_id", "=", "users.id")
            .where(sql<boolean>`identities.provider = any(${keys}::text[])`),
        ),
      ])
    ).executeTakeFirst();
  return row !== undefined;
}

/**
 * Requires that the account still has a way in. Call it after removing one, in the same transaction.
 *
 * @throws {AppError} LAST_SIGN_IN_METHOD.
 */
export async function requireWayIn(db: Db, ways: Ways): Promise<void> {
  if (await hasWayIn(db, ways)) return;
  throw new AppError("LAST_SIGN_IN_METHOD");
}
