import { sql } from "kysely";
import type { Db } from "../../db/schema.ts";
import type { Config } from "../config.ts";
import { SECOND_MS, secondsAfter } from "../duration.ts";
import { AppError } from "../errors.ts";

/** Source: spec, Limits. */
const TOO_MANY_ATTEMPTS = "Too many login attempts. Please try again in 15 minutes";

/**
 * Counts a login attempt of this client, in one statement, so that no two instances lose one. The window is fixed: it
 * starts with its first attempt and does not move.
 *
 * @param options.clientAddress see client_address.ts: an IPv6 client is its /64 network.
 * @throws {AppError} RATE_LIMITED beyond LOGIN_MAX_ATTEMPTS in one window.
 */
export async function countLoginAttempt(
  db: Db,
  { clientAddress, now, config }: { clientAddress: string; now: Date; config: Config },
): Promise<void> {
  if (config.loginMaxAttempts === 0) return;
  const windowEndsAt = secondsAfter(now, config.loginWindowSeconds);
  const isOver = sql<boolean>`login_attempts.window_ends_at <= ${now}`;
  const row = await db.insertInto("login_attempts")
    .values({ client_address: clientAddress, attempts: 1, window_ends_at: windowEndsAt })
    .onConflict((conflict) =>
      conflict.column("client_address").doUpdateSet({
        attempts: sql<number>`case when ${isOver} then 1 else login_attempts.attempts + 1 end`,
        window_ends_at: sql<
          Date
        >`case when ${isOver} then excluded.window_ends_at else login_attempts.window_ends_at end`,
      })
    )
    .returning(["attempts", "window_ends_at"]).executeTakeFirstOrThrow();
  if (row.attempts <= config.loginMaxAttempts) return;
  const retryAfterSeconds = Math.ceil((row.window_ends_at.getTime() - now.getTime()) / SECOND_MS);
  throw new AppError("RATE_LIMITED", TOO_MANY_ATTEMPTS, { retryAfterSeconds });
}
