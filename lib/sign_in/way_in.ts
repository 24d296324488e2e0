import { sql } from "kysely";
import type { Db } from "../../db/schema.ts";
import { AppError } from "../errors/errors.ts";
import { mayUsePassword } from "../config/passwords_setting.ts";
import { requiredProvider } from "../config/sign_in_domains.ts";
import type { Services } from "../services/services.ts";

/** The account, and the doors that are open: no one can log in with a provider that is not configured. */
interface Ways extends Pick<Services, "config" | "providers"> {
  user: { id: string; email: string };
}

/** Whether an account has a password, a passkey or an identity with which its owner can log in. */
async function hasWayIn(db: Db, { user, config, providers }: Ways): Promise<boolean> {
  const keys = [...providers.keys()];
  const row = await db.selectFrom("users").select("id").where("id", "=", user.id)
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
 * Requires that the account still has a way in. Call it after removing one, in the same transaction. Where
 * SIGN_IN_DOMAINS names a provider for the address, the identity there is the only one, and nothing else matters.
 *
 * @param removed the key of the provider whose identity was removed, if it was one.
 * @throws {AppError} LAST_SIGN_IN_METHOD.
 */
export async function requireWayIn(db: Db, ways: Ways, removed?: string): Promise<void> {
  const required = requiredProvider(ways.config, ways.user.email);
  if (required === null ? await hasWayIn(db, ways) : removed !== required) return;
  throw new AppError("LAST_SIGN_IN_METHOD", { reason: required === null ? "last" : "required" });
}
