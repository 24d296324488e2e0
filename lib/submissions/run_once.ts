import { createHash } from "node:crypto";
import { sql } from "kysely";
import { SECOND_MS, secondsAfter } from "../duration.ts";
import { AppError } from "../errors.ts";
import { errorFields } from "../log.ts";
import { seal, type SealedPlace, unseal } from "../sealed.ts";
import type { Services } from "../services.ts";

/** As long as an outcome counts, for a double click or an impatient one, and a claim whose owner may have died. */
const KEPT_SECONDS = 10;
/** Between signs of life of who has a claim: several may be missed before it lapses. */
const SIGN_OF_LIFE_MS = 2 * SECOND_MS;
const WAIT_MS = KEPT_SECONDS * SECOND_MS;
const FIRST_PAUSE_MS = 25;
const LONGEST_PAUSE_MS = 400;

/** Something that is to be done once. */
export interface Submission<T> {
  /** Of what was submitted; nobody else can guess it, and it is not stored. */
  digest: string;
  /**
   * Gives an outcome that JSON can hold. What it throws is no outcome: then the next one runs it again, as where nothing
   * has been heard of whoever runs it for ten seconds.
   */
  run(): Promise<T>;
  /** Tells whether an outcome is still true; one that is not counts no more. */
  holds(outcome: T): Promise<boolean>;
}

/**
 * Runs what a form was submitted for, once: whoever submits the same again meanwhile or within ten seconds gets what
 * came of the first. The database settles who is first, so the second may reach another instance. Outcomes hold session
 * tokens, so they are stored encrypted, and open only to who submits the same: what the database holds and APP_SECRET
 * are not enough.
 *
 * @throws {AppError} UNAVAILABLE when others have been at it for ten seconds.
 */
export async function runOnce<T>(services: Services, { digest, run, holds }: Submission<T>): Promise<T> {
  const place = placeOf(digest, services.config);
  const deadline = performance.now() + WAIT_MS;
  while (!await claim(services, place.id)) {
    const sealed = await waitForOutcome(services, place.id, deadline);
    if (sealed === null) continue;
    const outcome = await unseal<T>(sealed, place);
    if (await holds(outcome)) return outcome;
    await dropOutcome(services, place.id, sealed);
  }
  return await runClaimed(services, place, run);
}

/** Tells whether this is the first of its kind. */
async function claim({ db, now }: Services, id: string): Promise<boolean> {
  const values = { outcome: null, expires_at: expiryFrom(now()) };
  const row = await db.insertInto("submissions").values({ id, ...values })
    .onConflict((conflict) =>
      conflict.column("id").doUpdateSet(values).where(sql.ref("submissions.expires_at"), "<=", now())
    )
    .returning("id").executeTakeFirst();
  return row !== undefined;
}

/** What came of the first, still encrypted; null when nothing will: it failed, or its time is over. */
async function waitForOutcome(services: Services, id: string, deadline: number): Promise<string | null> {
  for (let pauseMs = FIRST_PAUSE_MS;; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    const row = await findSubmission(services, id);
    if (row === undefined || row.outcome !== null) return row?.outcome ?? null;
    if (performance.now() >= deadline) {
      throw new AppError("UNAVAILABLE", "This is still being worked on", { retryAfterSeconds: 1 });
    }
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

function findSubmission({ db, now }: Services, id: string) {
  return db.selectFrom("submissions").select("outcome").where("id", "=", id).where("expires_at", ">", now())
    .executeTakeFirst();
}

async function runClaimed<T>(services: Services, place: SealedPlace, run: () => Promise<T>): Promise<T> {
  const { db, log } = services;
  const warn = (error: unknown) => log("warn", "submission could not be noted", errorFields(error));
  const signsOfLife = setInterval(() => void extendClaim(services, place.id).catch(warn), SIGN_OF_LIFE_MS);
  try {
    const outcome = await run().finally(() => clearInterval(signsOfLife));
    // What is done is done: whoever did it is told, also where nobody else can be.
    await keepOutcome(services, place, outcome).catch(warn);
    return outcome;
  } catch (error) {
    // Not awaited: where the database is at a standstill, whoever has just waited for it would wait as long again. It may
    // be late, so a claim that somebody has made since lasts longer than ours could, and stays.
    void db.deleteFrom("submissions").where("id", "=", place.id)
      .where("expires_at", "<=", expiryFrom(services.now())).execute().catch(warn);
    throw error;
  }
}

/** For work that takes longer than a claim: only a dead process loses its own. */
async function extendClaim({ db, now }: Services, id: string): Promise<void> {
  await db.updateTable("submissions").set({ expires_at: expiryFrom(now()) }).where("id", "=", id)
    .where("outcome", "is", null).execute();
}

async function keepOutcome({ db, now }: Services, place: SealedPlace, value: unknown): Promise<void> {
  const outcome = await seal(value, place);
  await db.updateTable("submissions").set({ outcome, expires_at: expiryFrom(now()) }).where("id", "=", place.id)
    .execute();
}

/** Only this one: somebody else may be running it again already. */
async function dropOutcome({ db }: Services, id: string, outcome: string): Promise<void> {
  await db.deleteFrom("submissions").where("id", "=", id).where("outcome", "=", outcome).execute();
}

function placeOf(digest: string, { appSecret }: Services["config"]): SealedPlace {
  const id = createHash("sha256").update(digest).digest("base64");
  return { purpose: "submissions", id, secret: appSecret + digest };
}

function expiryFrom(now: Date): Date {
  return secondsAfter(now, KEPT_SECONDS);
}
