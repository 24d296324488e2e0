import { createMailDispatcher } from "../mail/outbox_worker.ts";
import { startWorker } from "../operations/background_worker.ts";
import { sweepExpiredRows } from "../operations/expired_rows.ts";
import type { Services } from "../services.ts";

/** Polling finds retries and the emails of other instances. This process's own emails wake the worker at once. */
const OUTBOX_POLL_SECONDS = 1;
const SWEEP_PAUSE_SECONDS = 60;

/** Starts the workers that deliver email and delete expired rows. `stop` resolves when both are idle. */
export function startBackground(
  services: Services,
  database: { tidy(): Promise<void> },
): { stop(): Promise<void> } {
  const { log, outboxSignal } = services;
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
  return {
    async stop() {
      await Promise.all([outbox.stop(), sweep.stop()]);
      await dispatcher.waitUntilIdle();
    },
  };
}
