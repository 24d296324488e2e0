import { type Placeholders, prepare } from "../../db/prepared_query.ts";
import type { Services } from "../services/services.ts";
import { findSecondFactorDuty } from "./second_factor_duty.ts";
import type { SecondFactor } from "./second_step.ts";

const selectRules = prepare((db, { userId }: Placeholders<{ userId: string }>) =>
  db.selectFrom("users").select((eb) => [
    "email",
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
  /** The address of the account. */
  email: string;
  isSuspended: boolean;
  /** What the account asks for after the first proof. A passkey only where SECOND_FACTOR demands a second factor. */
  secondFactors: SecondFactor[];
  /** Whether SECOND_FACTOR demands one and there is none. */
  lacksSecondFactor: boolean;
}

/** Finds what signing in to an account requires. */
export async function findSignInRules(
  services: Pick<Services, "config" | "db" | "now">,
  userId: string,
): Promise<SignInRules> {
  const [row] = await selectRules(services.db, { userId });
  const isSuspended = row !== undefined && row.suspended_at !== null;
  const duty = await findSecondFactorDuty(services, { id: userId });
  const secondFactors: SecondFactor[] = [
    ...row?.hasTotp ? ["totp" as const] : [],
    ...row?.hasTotp && row.hasCodes ? ["recovery_code" as const] : [],
    ...duty?.hasPasskey ? ["passkey" as const] : [],
  ];
  return { email: row?.email ?? "", isSuspended, secondFactors, lacksSecondFactor: duty !== null && !duty.hasFactor };
}
