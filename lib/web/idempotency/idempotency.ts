import type { Db } from "../../../db/schema.ts";
import { seal, unseal } from "../../crypto/sealed.ts";
import { SECOND_MS } from "../../duration.ts";
import { AppError } from "../../errors/errors.ts";
import { errorFields } from "../../log/log.ts";
import type { Services } from "../../services/services.ts";
import { type Claim, claimKey, dropClaim, dropRecord, extendClaim, findRow, storeRecord } from "./idempotency_store.ts";
import { type RecordPlace, recordPlace } from "./record_place.ts";

/** How often the owner extends its claim. Several extensions may fail before the claim lapses. */
const EXTENSION_INTERVAL_MS = 2 * SECOND_MS;
const FIRST_PAUSE_MS = 25;
const LONGEST_PAUSE_MS = 400;

/**
 * Stores the record of an action in the transaction that has its effect, so that there is never one without the other.
 * Fails, and so undoes the effect, if the claim lapsed and another caller has run the action since.
 */
export type StoreRecord<Recorded> = (trx: Db, recorded: Recorded) => Promise<void>;

/** An action that runs once, however often it is requested. */
export interface IdempotentAction<Result, Recorded> {
  /** Identifies the action. It is not stored, because it decrypts the record. */
  key: string;
  /** What is requested. It is not stored either. Without it, the key alone must be impossible to guess. */
  content?: string;
  /** How long after its end repetitions get the result of the first run. */
  keptSeconds: number;
  /** How long a repetition waits for a run that has not ended. */
  waitSeconds: number;
  /** The error of a repetition that has waited so long. */
  stillRunning(): AppError;
  /** The effect may include the record. Otherwise the record is stored after it. */
  run(store: StoreRecord<Recorded>): Promise<Result>;
  /**
   * Returns the parts of the result that a replay needs, as JSON, or null if the next caller must run the action again.
   */
  record(result: PromiseSettledResult<Result>): Promise<Recorded | null>;
  /** Recreates the result, or throws the recorded error. Returns null if the result is out of date. */
  replay(recorded: Recorded): Promise<Result | null>;
}

/** The claim lapsed, and another caller has run the action since. The effect of this caller has been undone. */
class ClaimLostError extends Error {
  override name = "ClaimLostError";
}

/**
 * Runs an action once. The first caller gets the result itself. A caller that repeats the action while it runs, or soon
 * after, gets a result recreated from the record. The database decides which caller is first, so a repetition may reach
 * another instance. If the process of the first caller dies, the next one runs the action when the claim has lapsed.
 *
 * @throws {AppError} `stillRunning` when the action is still running after `waitSeconds`; IDEMPOTENCY_KEY_REUSED when
 * the key was used for other content, also while that is running.
 */
export async function runOnce<Result, Recorded>(
  services: Services,
  action: IdempotentAction<Result, Recorded>,
): Promise<Result> {
  const place = recordPlace(action, services.config);
  const deadline = performance.now() + action.waitSeconds * SECOND_MS;
  while (true) {
    const claim = await claimKey(services, place);
    if (claim !== null) {
      const outcome = await runClaimed(services, action, { place, claim });
      if (outcome === CLAIM_LOST) continue;
      return outcome;
    }
    const sealed = await waitForRecord(services, place, { deadline, stillRunning: action.stillRunning });
    if (sealed === null) continue;
    const result = await action.replay(await openRecord<Recorded>(sealed, place, action));
    if (result !== null) return result;
    await dropRecord(services, place.id, sealed);
  }
}

/** Returns the sealed record of the first caller, or null when that caller left none or its claim lapsed. */
async function waitForRecord(
  services: Services,
  { id, contentHash }: RecordPlace,
  { deadline, stillRunning }: { deadline: number; stillRunning: () => AppError },
): Promise<string | null> {
  for (let pauseMs = FIRST_PAUSE_MS;; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    const row = await findRow(services, id);
    if (row === undefined || row.outcome !== null) return row?.outcome ?? null;
    // A claim of version 0.1.0 has no hash.
    if (row.content_hash !== null && row.content_hash !== contentHash) throw keyReused();
    if (performance.now() >= deadline) throw stillRunning();
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

/** The content is part of what seals the record, so a record that does not open has other content. */
async function openRecord<Recorded>(
  sealed: string,
  place: RecordPlace,
  { content }: { content?: string },
): Promise<Recorded> {
  try {
    return await unseal<Recorded>(sealed, place);
  } catch (cause) {
    if (content === undefined) throw cause;
    throw keyReused(cause);
  }
}

function keyReused(cause?: unknown): AppError {
  return new AppError("IDEMPOTENCY_KEY_REUSED", { cause });
}

const CLAIM_LOST = Symbol("claim lost");

async function runClaimed<Result, Recorded>(
  services: Services,
  { run, record, keptSeconds }: IdempotentAction<Result, Recorded>,
  { place, claim }: { place: RecordPlace; claim: Claim },
): Promise<Result | typeof CLAIM_LOST> {
  const warn = (error: unknown) => services.log("warn", "idempotency record not stored", errorFields(error));
  const extensions = setInterval(() => void extendClaim(services, place.id).catch(warn), EXTENSION_INTERVAL_MS);
  let isStored = false;
  const store = async (db: Db, recorded: Recorded) => {
    const sealed = await seal(recorded, place);
    isStored = await storeRecord({ ...services, db }, place.id, { sealed, keptSeconds });
  };
  const storeInTransaction = async (trx: Db, recorded: Recorded) => {
    await store(trx, recorded);
    if (!isStored) throw new ClaimLostError();
  };
  const [result] = await Promise.allSettled([run(storeInTransaction)]);
  clearInterval(extensions);
  if (result.status === "fulfilled" && isStored) return result.value;
  if (result.status === "rejected" && result.reason instanceof ClaimLostError) return CLAIM_LOST;
  const recorded = await record(result);
  if (recorded === null) {
    // Not awaited: if the database hangs, the caller has already waited once.
    void dropClaim(services, place.id, claim).catch(warn);
  } else {
    // The action has ended: its caller gets the result even if it cannot be stored for others.
    await store(services.db, recorded).catch(warn);
  }
  if (result.status === "rejected") throw result.reason;
  return result.value;
}
