import { createHash } from "node:crypto";
import { sql } from "kysely";
import { MINUTE_SECONDS, SECOND_MS, secondsAfter } from "../duration.ts";
import { AppError } from "../errors.ts";
import { errorFields } from "../log.ts";
import { seal, type SealedPlace, unseal } from "../sealed.ts";
import type { Services } from "../services.ts";

/** As long as a second submission counts as the same: a double click, an impatient one, a reload. */
export const SUBMISSION_KEPT_SECONDS = MINUTE_SECONDS;
const WAIT_MS = 10 * SECOND_MS;
const LOOK_AGAIN_MS = 25;

/**
 * Runs what a form was submitted for, once: whoever submits the same again meanwhile or within a minute gets what came
 * of the first. The database settles who is first, so the second may reach another instance. Outcomes hold session
 * tokens, so they are stored encrypted, and open only to who submits the same: what the database holds and APP_SECRET
 * are not enough.
 *
 * @param digest of what was submitted, which nobody else can guess. It is not stored.
 * @param run gives an outcome that JSON can hold. What it throws is no outcome: then the next one runs it again.
 * @throws {AppError} UNAVAILABLE when the first is not done after ten seconds.
 */
export async function runOnce<T>(services: Services, digest: string, run: () => Promise<T>): Promise<T> {
  const place = placeOf(digest, services.config);
  const startedAt = performance.now();
  while (performance.now() - startedAt < WAIT_MS) {
    if (await claim(services, place.id)) return await runClaimed(services, place, run);
    const outcome = await findOutcome<T>(services, place);
    if (outcome !== null) return outcome;
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
  }
  throw new AppError("UNAVAILABLE", "This is still being worked on", { retryAfterSeconds: 1 });
}

/** Tells whether this is the first of its kind. */
async function claim({ db, now }: Services, id: string): Promise<boolean> {
  const claimedAt = now();
  const row = await db.insertInto("submissions").values({ id, outcome: null, claimed_at: claimedAt })
    .onConflict((conflict) =>
      conflict.column("id").doUpdateSet({ outcome: null, claimed_at: claimedAt })
        .where(sql.ref("submissions.claimed_at"), "<=", secondsAfter(claimedAt, -SUBMISSION_KEPT_SECONDS))
    )
    .returning("id").executeTakeFirst();
  return row !== undefined;
}

async function runClaimed<T>(services: Services, place: SealedPlace, run: () => Promise<T>): Promise<T> {
  const { db, log } = services;
  const warn = (error: unknown) => log("warn", "submission could not be noted", errorFields(error));
  try {
    const outcome = await run();
    // What is done is done: whoever did it is told, also where nobody else can be.
    await keepOutcome(services, place, outcome).catch(warn);
    return outcome;
  } catch (error) {
    await db.deleteFrom("submissions").where("id", "=", place.id).execute().catch(warn);
    throw error;
  }
}

async function keepOutcome({ db }: Services, place: SealedPlace, value: unknown): Promise<void> {
  const outcome = await seal(value, place);
  await db.updateTable("submissions").set({ outcome }).where("id", "=", place.id).execute();
}

async function findOutcome<T>({ db }: Services, place: SealedPlace): Promise<T | null> {
  const row = await db.selectFrom("submissions").select("outcome").where("id", "=", place.id).executeTakeFirst();
  return row?.outcome ? await unseal<T>(row.outcome, place) : null;
}

function placeOf(digest: string, { appSecret }: Services["config"]): SealedPlace {
  const id = createHash("sha256").update(digest).digest("base64");
  return { purpose: "submissions", id, secret: appSecret + digest };
}
