import type { SealedPlace } from "../crypto/sealed.ts";
import { seal, unseal } from "../crypto/sealed.ts";
import { SECOND_MS } from "../duration.ts";
import { AppError } from "../errors.ts";
import { errorFields } from "../log.ts";
import type { Services } from "../services.ts";
import { type Claim, claimKey, dropClaim, dropRecord, extendClaim, findRow, storeRecord } from "./idempotency_store.ts";
import { recordPlace } from "./record_place.ts";

/** How often the owner extends its claim. Several extensions may fail before the claim lapses. */
const EXTENSION_INTERVAL_MS = 2 * SECOND_MS;
const FIRST_PAUSE_MS = 25;
const LONGEST_PAUSE_MS = 400;

/** An action that runs once, however often it is requested. */
export interface IdempotentAction<Result, Recorded> {
  /** Identifies the action. No one else can guess it, and it is not stored, because it decrypts the record. */
  key: string;
  /** How long after its end repetitions get the result of the first run. */
  keptSeconds: number;
  /** How long a repetition waits for a run that has not ended. */
  waitSeconds: number;
  run(): Promise<Result>;
  /**
   * Returns the parts of the result that a replay needs, as JSON, or null if the next caller must run the action again.
   */
  record(result: PromiseSettledResult<Result>): Recorded | null;
  /** Recreates the result, or throws the recorded error. Returns null if the result is out of date. */
  replay(recorded: Recorded): Promise<Result | null>;
}

/**
 * Runs an action once. The first caller gets the result itself. A caller that repeats the action while it runs, or soon
 * after, gets a result recreated from the record. The database decides which caller is first, so a repetition may reach
 * another instance. If the process of the first caller dies, the next one runs the action when the claim has lapsed.
 *
 * @throws {AppError} UNAVAILABLE when the action is still running after `waitSeconds`.
 */
export async function runOnce<Result, Recorded>(
  services: Services,
  action: IdempotentAction<Result, Recorded>,
): Promise<Result> {
  const place = recordPlace(action.key, services.config);
  const deadline = performance.now() + action.waitSeconds * SECOND_MS;
  while (true) {
    const claim = await claimKey(services, place.id);
    if (claim !== null) return await runClaimed(services, action, { place, claim });
    const sealed = await waitForRecord(services, place.id, deadline);
    if (sealed === null) continue;
    const result = await action.replay(await unseal<Recorded>(sealed, place));
    if (result !== null) return result;
    await dropRecord(services, place.id, sealed);
  }
}

/** Returns the sealed record of the first caller, or null when that caller left none or its claim lapsed. */
async function waitForRecord(services: Services, id: string, deadline: number): Promise<string | null> {
  for (let pauseMs = FIRST_PAUSE_MS;; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    const row = await findRow(services, id);
    if (row === undefined || row.outcome !== null) return row?.outcome ?? null;
    if (performance.now() >= deadline) {
      throw new AppError("UNAVAILABLE", "This request is still being processed", { retryAfterSeconds: 1 });
    }
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

async function runClaimed<Result, Recorded>(
  services: Services,
  { run, record, keptSeconds }: IdempotentAction<Result, Recorded>,
  { place, claim }: { place: SealedPlace; claim: Claim },
): Promise<Result> {
  const warn = (error: unknown) => services.log("warn", "idempotency record not stored", errorFields(error));
  const extensions = setInterval(() => void extendClaim(services, place.id).catch(warn), EXTENSION_INTERVAL_MS);
  const [result] = await Promise.allSettled([run()]);
  clearInterval(extensions);
  const recorded = record(result);
  if (recorded === null) {
    // Not awaited: if the database hangs, the caller has already waited once.
    void dropClaim(services, place.id, claim).catch(warn);
  } else {
    // The action has ended: its caller gets the result even if it cannot be stored for others.
    const store = async () =>
      await storeRecord(services, place.id, { sealed: await seal(recorded, place), keptSeconds });
    await store().catch(warn);
  }
  if (result.status === "rejected") throw result.reason;
  return result.value;
}
