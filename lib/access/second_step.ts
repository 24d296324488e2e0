import type { Db } from "../../db/schema.ts";
import type { SignInMethod } from "./tables.ts";
import { createToken, hashToken } from "../crypto/token.ts";
import { MINUTE_SECONDS, secondsAfter } from "../duration.ts";
import type { SECOND_FACTORS } from "../schemas/states.ts";

/** How long people have to enter the second factor. */
export const SECOND_STEP_SECONDS = 10 * MINUTE_SECONDS;
const MAX_TRIES = 5;

/** What people can prove after their first proof. */
export type SecondFactor = typeof SECOND_FACTORS[number];

/** What the browser keeps of a sign-in that waits for the second factor. */
export interface SecondStep {
  token: string;
  /** What the person can prove. */
  methods: SecondFactor[];
}

/** A sign-in whose first proof was right. */
export interface FirstStep {
  userId: string;
  method: SignInMethod;
  /** The public ids of the sessions that the browser holds. They end with the second step. */
  sessionIds: string[];
  now: Date;
}

/** Remembers a sign-in that waits for the second factor. Only the hash of the token is stored. */
export async function startSecondStep(db: Db, { userId, method, sessionIds, now }: FirstStep): Promise<string> {
  const token = createToken();
  await db.insertInto("second_step_challenges").values({
    id: hashToken(token),
    user_id: userId,
    method,
    session_ids: sessionIds,
    expires_at: secondsAfter(now, SECOND_STEP_SECONDS),
  }).execute();
  return token;
}

/** Ends the sign-ins that wait for the second factor, of a user or of all. Their first proof may no longer be right. */
export async function endSecondSteps(db: Db, userId?: string): Promise<void> {
  await db.deleteFrom("second_step_challenges")
    .$if(userId !== undefined, (query) => query.where("user_id", "=", userId!)).execute();
}

/** Uses up one of the five tries of a sign-in. Returns whether there was one. */
export async function countTry(db: Db, { token, now }: { token: string; now: Date }): Promise<boolean> {
  const { numUpdatedRows } = await db.updateTable("second_step_challenges")
    .set((eb) => ({ tries: eb("tries", "+", 1) }))
    .where("id", "=", hashToken(token)).where("tries", "<", MAX_TRIES).where("expires_at", ">", now)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Ends a sign-in that waits for the second factor. Of several concurrent calls, exactly one returns true. */
export async function endSecondStep(db: Db, token: string): Promise<boolean> {
  const { numDeletedRows } = await db.deleteFrom("second_step_challenges").where("id", "=", hashToken(token))
    .executeTakeFirst();
  return numDeletedRows > 0n;
}
