import { DAY_SECONDS, MINUTE_SECONDS } from "../duration.ts";
import { endTokensOfSuspended } from "../accounts/tokens/api_token.ts";
import { sendTokenReminders } from "../accounts/tokens/token_reminder.ts";
import { renewSigningKeys } from "../programs/signing_keys.ts";
import { createMailDispatcher } from "../mail/outbox_worker.ts";
import { deleteDueAccounts } from "../operations/account_deletion.ts";
import { startWorker } from "../operations/background_worker.ts";
import { sweepExpiredRows } from "../operations/expired_rows.ts";
import type { Services } from "../services.ts";
import { runDueFactorResets } from "../sign_in/second_factor/factor_reset.ts";
import { createConversion } from "../uploads/conversion.ts";
import { sweepUploads } from "../uploads/due_uploads.ts";
import { sweepStore } from "../uploads/store_sweep.ts";

/** Polling finds retries and the emails of other instances. This process's own emails wake the worker at once. */
const OUTBOX_POLL_SECONDS = 1;
const SWEEP_PAUSE_SECONDS = MINUTE_SECONDS;
const STORE_SWEEP_PAUSE_SECONDS = 10 * MINUTE_SECONDS;
/** Only objects that someone copied into the folder can need a conversion later. */
const CONVERSION_PAUSE_SECONDS = DAY_SECONDS;
/** Much shorter than the time for which a new key is published before it signs. */
const KEY_PAUSE_SECONDS = 10 * MINUTE_SECONDS;

/** Starts the workers that deliver email, do what is due and compare uploads. `stop` resolves when all are idle. */
export function startBackground(
  services: Services,
  database: { tidy(): Promise<void> },
): { stop(): Promise<void> } {
  const { log, outboxSignal, uploadSignal } = services;
  const dispatcher = createMailDispatcher(services);
  const outbox = startWorker(() => dispatcher.dispatch(), {
    name: "outbox",
    pauseSeconds: OUTBOX_POLL_SECONDS,
    signal: outboxSignal,
    log,
  });
  const sweep = startWorker(async () => {
    const deleted = await sweepExpiredRows(services);
    if (deleted === 0) await database.tidy();
    return deleted;
  }, { name: "sweep", pauseSeconds: SWEEP_PAUSE_SECONDS, log });
  const deletion = startWorker(() => deleteDueAccounts(services), {
    name: "deletion of accounts",
    pauseSeconds: SWEEP_PAUSE_SECONDS,
    log,
  });
  const factorResets = startWorker(() => runDueFactorResets(services), {
    name: "removal of second factors",
    pauseSeconds: SWEEP_PAUSE_SECONDS,
    log,
  });
  const tokens = startWorker(async () => await endTokensOfSuspended(services) + await sendTokenReminders(services), {
    name: "API tokens",
    pauseSeconds: SWEEP_PAUSE_SECONDS,
    log,
  });
  const uploads = startWorker(() => sweepUploads(services), {
    name: "sweep of uploads",
    pauseSeconds: SWEEP_PAUSE_SECONDS,
    signal: uploadSignal,
    log,
  });
  const store = startWorker(() => sweepStore(services), {
    name: "sweep of the store",
    pauseSeconds: STORE_SWEEP_PAUSE_SECONDS,
    log,
  });
  const conversion = startWorker(createConversion(services), {
    name: "conversion of stored files",
    pauseSeconds: CONVERSION_PAUSE_SECONDS,
    log,
  });
  const keys = startWorker(() => renewSigningKeys(services), {
    name: "renewal of signing keys",
    pauseSeconds: KEY_PAUSE_SECONDS,
    log,
  });
  const workers = [outbox, sweep, deletion, factorResets, tokens, uploads, store, conversion, keys];
  return {
    async stop() {
      await Promise.all(workers.map((worker) => worker.stop()));
      await dispatcher.waitUntilIdle();
    },
  };
}
