import { type Placeholders, prepare } from "../../db/prepared_query.ts";
import type { Db } from "../../db/schema.ts";
import type { SecondFactor } from "./second_step.ts";

const selectRules = prepare((db, { userId }: Placeholders<{ userId: string }>) =>
  db.selectFrom("users").select((eb) => [
    "suspended_at",
    eb.exists(
      eb.selectFrom("totp_secrets").select("user_id").whereRef("user_id", "=", "users.id")
        .where("enabled_at", "is not", null),
    ).as("hasTotp"),
    eb.exists(eb.selectFrom("recovery_codes").select("user_id").whereRef("user_id", "=", "users.id")).as("hasCodes"),
  ]).where("id", "=", userId)
);

/** What an account requires of a sign-in. */
export interface SignInRules {
  isSuspended: boolean;
  /** What the account asks for after the first proof; nothing if it has no authenticator app. */
  secondFactors: SecondFactor[];
}

/** Finds what signing in to an account requires. */
export async function findSignInRules(db: Db, userId: string): Promise<SignInRules> {
  const [row] = await selectRules(db, { userId });
  const isSuspended = row !== undefined && row.suspended_at !== null;
  if (!row?.hasTotp) return { isSuspended, secondFactors: [] };
  return { isSuspended, secondFactors: row.hasCodes ? ["totp", "recovery_code"] : ["totp"] };
}
