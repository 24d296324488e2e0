import { createHash } from "node:crypto";
import { sql } from "kysely";
import { SECOND_MS, secondsAfter } from "../duration.ts";
import { AppError } from "../errors.ts";
import { errorFields } from "../log.ts";
import { seal, type SealedPlace, unseal } from "../crypto/sealed.ts";
import type { Services } from "../services.ts";

/** How long an outcome is reused, and how long a claim lasts after its owner has last extended it. */
const KEPT_SECONDS = 10;
/** How often the owner extends its claim. Several extensions may fail before the claim lapses. */
const EXTENSION_INTERVAL_MS = 2 * SECOND_MS;
/** Dates have milliseconds, while the database has microseconds; also allows for clocks that run unevenly. */
const ROUNDING_SECONDS = 1;
const WAIT_MS = KEPT_SECONDS * SECOND_MS;
const FIRST_PAUSE_MS = 25;
const LONGEST_PAUSE_MS = 400;

/** An action that must run only once. */
export interface Submission<T> {
  /** Identifies what was submitted. Nobody else can guess it, and it is not stored. */
  digest: string;
  /**
   * Returns an outcome that JSON can represent. If it throws, or if its process dies, the next caller runs it again; after
   * a death, that is ten seconds later.
   */
  run(): Promise<T>;
  /** Whether an earlier outcome may still be reused. */
  holds(outcome: T): Promise<boolean>;
}

/**
 * Runs a submission once. A repetition that arrives while it runs, or within ten seconds, gets the first outcome. The
 * database decides which caller is first, so a repetition may reach another instance. Outcomes hold session tokens, so
 * they are stored encrypted under a key that only the same submission yields: the database and APP_SECRET together
 * do not decrypt them.
 *
 * @throws {AppError} UNAVAILABLE when the first caller is still running after ten seconds.
 */
export async function runOnce<T>(services: Services, { digest, run, holds }: Submission<T>): Promise<T> {
  const place = placeOf(digest, services.config);
  const deadline = performance.now() + WAIT_MS;
  while (true) {
    const claimed = await claim(services, place.id);
    if (claimed !== null) return await runClaimed(services, { place, claimed, run });
    const sealed = await waitForOutcome(services, place.id, deadline);
    if (sealed === null) continue;
    const outcome = await unseal<T>(sealed, place);
    if (await holds(outcome)) return outcome;
    await dropOutcome(services, place.id, sealed);
  }
}

/** The right to run a submission. */
interface Claim {
  /** By the clock of the database. */
  expiresAt: Date;
  /** By the monotonic clock of this process. */
  claimedAtMs: number;
}

/** Claims the submission; returns null when another caller has claimed it. */
async function claim({ db, databaseTime }: Services, id: string): Promise<Claim | null> {
  const claimedAtMs = performance.now();
  const values = { outcome: null, expires_at: databaseTime(KEPT_SECONDS) };
  const row = await db.insertInto("submissions").values({ id, ...values })
    .onConflict((conflict) =>
      conflict.column("id").doUpdateSet(values).where(sql.ref<Date>("submissions.expires_at"), "<=", databaseTime())
    )
    .returning("expires_at").executeTakeFirst();
  return row === undefined ? null : { expiresAt: row.expires_at, claimedAtMs };
}

/** Returns the encrypted outcome of the first caller, or null when that caller failed or its claim lapsed. */
async function waitForOutcome(services: Services, id: string, deadline: number): Promise<string | null> {
  for (let pauseMs = FIRST_PAUSE_MS;; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    const row = await findSubmission(services, id);
    if (row === undefined || row.outcome !== null) return row?.outcome ?? null;
    if (performance.now() >= deadline) {
      throw new AppError("UNAVAILABLE", "This request is still being processed", { retryAfterSeconds: 1 });
    }
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

function findSubmission({ db, databaseTime }: Services, id: string) {
  return db.selectFrom("submissions").select("outcome").where("id", "=", id).where("expires_at", ">", databaseTime())
    .executeTakeFirst();
}

async function runClaimed<T>(
  services: Services,
  { place, claimed, run }: { place: SealedPlace; claimed: Claim; run(): Promise<T> },
): Promise<T> {
  const { log } = services;
  const warn = (error: unknown) => log("warn", "submission could not be stored", errorFields(error));
  const extensions = setInterval(() => void extendClaim(services, place.id).catch(warn), EXTENSION_INTERVAL_MS);
  try {
    const outcome = await run().finally(() => clearInterval(extensions));
    // The action has succeeded: its caller gets the outcome even if it cannot be stored for others.
    await keepOutcome(services, place, outcome).catch(warn);
    return outcome;
  } catch (error) {
    // Not awaited: if the database hangs, the caller has already waited once.
    void dropClaim(services, place.id, claimed).catch(warn);
    throw error;
  }
}

/** Extends the claim of an action that takes long. Only a dead process loses its claim. */
async function extendClaim({ db, databaseTime }: Services, id: string): Promise<void> {
  await db.updateTable("submissions").set({ expires_at: databaseTime(KEPT_SECONDS) }).where("id", "=", id)
    .where("outcome", "is", null).execute();
}

/** May run late, so it spares a newer claim of another caller: that expires later than this one can have been extended. */
async function dropClaim({ db }: Services, id: string, { expiresAt, claimedAtMs }: Claim): Promise<void> {
  const heldSeconds = (performance.now() - claimedAtMs) / SECOND_MS;
  const latestExpiry = secondsAfter(expiresAt, heldSeconds + ROUNDING_SECONDS);
  await db.deleteFrom("submissions").where("id", "=", id).where("expires_at", "<=", latestExpiry).execute();
}

async function keepOutcome({ db, databaseTime }: Services, place: SealedPlace, value: unknown): Promise<void> {
  const outcome = await seal(value, place);
  await db.updateTable("submissions").set({ outcome, expires_at: databaseTime(KEPT_SECONDS) }).where(
    "id",
    "=",
    place.id,
  )
    .execute();
}

/** Deletes this outcome only: another caller may already be running the submission again. */
async function dropOutcome({ db }: Services, id: string, outcome: string): Promise<void> {
  await db.deleteFrom("submissions").where("id", "=", id).where("outcome", "=", outcome).execute();
}

function placeOf(digest: string, { appSecret }: Services["config"]): SealedPlace {
  const id = createHash("sha256").update(digest).digest("base64");
  return { purpose: "submissions", id, secret: appSecret + digest };
}
