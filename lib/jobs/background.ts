import { type AuditSink, writeNextEvent } from "../activity/audit_log.ts";
import { refreshClients } from "../clients/registrations.ts";
import { DAY_SECONDS, HOUR_SECONDS, MINUTE_SECONDS } from "../duration.ts";
import { endTokensOfSuspended } from "../access/api_token.ts";
import { announceSecondFactorDates } from "../access/second_factor_notice.ts";
import { sendTokenReminders } from "../access/token_reminder.ts";
import { renewSigningKeys } from "../access/signing_keys.ts";
import { sweepLogouts } from "../grants/logout_delivery.ts";
import { sweepMissingClients } from "../grants/missing_client.ts";
import { createMailDispatcher } from "../mail/outbox_worker.ts";
import { deleteDueAccounts } from "../accounts/account_deletion.ts";
import { startWorker } from "./background_worker.ts";
import { createDatabaseWatch, WATCH_PAUSE_SECONDS } from "./database_watch.ts";
import { type Instance, SEEN_PAUSE_SECONDS } from "./instances.ts";
import { CLOCK_PAUSE_SECONDS, type SharedClock } from "../installation/clock.ts";
import { checkStore, createPrivateProbe } from "./store_checks.ts";
import { sweepExpiredRows } from "./expired_rows.ts";
import type { Dispatcher } from "../queue/dispatcher.ts";
import type { Services, WakeSignal } from "../services/services.ts";
import { runDueFactorResets } from "../sign_in/second_factor/factor_reset.ts";
import { createConversion } from "../uploads/conversion.ts";
import { sweepUploads } from "../uploads/due_uploads.ts";
import { sweepStore } from "../uploads/store_sweep.ts";
import { sweepDeletedWebhooks } from "../webhooks/webhook.ts";
import { createWebhookDispatcher } from "../webhooks/webhook_queue.ts";

/** Polling finds retries and the emails of other instances. This process's own emails wake the worker at once. */
const OUTBOX_POLL_SECONDS = 1;
const SWEEP_PAUSE_SECONDS = MINUTE_SECONDS;
const STORE_SWEEP_PAUSE_SECONDS = 10 * MINUTE_SECONDS;
/** Only objects that someone copied into the folder can need a conversion later. */
const CONVERSION_PAUSE_SECONDS = DAY_SECONDS;
/** Much shorter than the time for which a new key is published before it signs. */
const KEY_PAUSE_SECONDS = 10 * MINUTE_SECONDS;

/** As short as that of emails: a collector may raise an alarm. */
const AUDIT_POLL_SECONDS = 1;

/** Events do not wake the worker: their transactions must not know whether there are webhooks. */
const WEBHOOK_POLL_SECONDS = 1;

/** Lists of apps may be five seconds old. */
const CLIENTS_POLL_SECONDS = 4;

/** How soon apps hear of a session that has ended. */
const LOGOUT_POLL_SECONDS = 1;

/** What the workers use besides the services. */
export interface BackgroundParts {
  database: { tidy(): Promise<void> };
  clock: Pick<SharedClock, "adjust">;
  instance?: Instance;
  /** Present if there is an audit log. */
  auditSink?: AuditSink;
}

/** Starts the workers that deliver email, do what is due and compare uploads. `stop` resolves when all are idle. */
export function startBackground(
  services: Services,
  { database, clock, instance, auditSink }: BackgroundParts,
): { stop(): Promise<void> } {
  const { log, outboxSignal, uploadSignal, webhookSignal } = services;
  const dispatcher = createMailDispatcher(services);
  const webhookDispatcher = createWebhookDispatcher(services);
  let logoutDispatcher: Promise<Dispatcher> | undefined;
  const sweepRows = async () => {
    const deleted = await sweepExpiredRows(services) + await sweepDeletedWebhooks(services) +
      await sweepLogouts(services);
    if (deleted === 0) await database.tidy();
    return deleted;
  };
  const endAndAnnounceTokens = async () => await endTokensOfSuspended(services) + await sendTokenReminders(services);
  const work = (name: string, task: () => Promise<number>, pauseSeconds = SWEEP_PAUSE_SECONDS, signal?: WakeSignal) =>
    startWorker(task, { name, pauseSeconds, signal, log });
  const workers = [
    work("outbox", () => dispatcher.dispatch(), OUTBOX_POLL_SECONDS, outboxSignal),
    work("webhooks", () => webhookDispatcher.dispatch(), WEBHOOK_POLL_SECONDS, webhookSignal),
    work("sweep", sweepRows),
    work("deletion of accounts", () => deleteDueAccounts(services)),
    work("removal of second factors", () => runDueFactorResets(services)),
    work("dates of second factors", () => announceSecondFactorDates(services)),
    work("API tokens", endAndAnnounceTokens),
    work("sweep of uploads", () => sweepUploads(services), SWEEP_PAUSE_SECONDS, uploadSignal),
    work("sweep of the store", () => sweepStore(services), STORE_SWEEP_PAUSE_SECONDS),
    work("conversion of stored files", createConversion(services), CONVERSION_PAUSE_SECONDS),
    work("probe of private files", createPrivateProbe(services)),
    work("apps that left CLIENTS_FILE", () => sweepMissingClients(services), HOUR_SECONDS),
    work("apps made in the browser", () => refreshClients(services), CLIENTS_POLL_SECONDS),
    work("logouts", async () => {
      if (services.config.registrations === null) return 0;
      return await (await (logoutDispatcher ??= loadLogoutDispatcher(services))).dispatch();
    }, LOGOUT_POLL_SECONDS),
    work("renewal of signing keys", () => renewSigningKeys(services), KEY_PAUSE_SECONDS),
  ];
  if (instance !== undefined) workers.push(work("instance", () => instance.show().then(() => 0), SEEN_PAUSE_SECONDS));
  // Each isolate has a clock, and the first one speaks for them.
  const { db, databaseTime } = services;
  const adjustClock = () => clock.adjust({ db, databaseTime, ...instance !== undefined && { log } }).then(() => 0);
  if (services.config.databaseUrl !== undefined) workers.push(work("clock", adjustClock, CLOCK_PAUSE_SECONDS));
  // One database for all isolates.
  if (instance !== undefined) {
    workers.push(work("watch of the database", createDatabaseWatch(services), WATCH_PAUSE_SECONDS));
  }
  if (auditSink !== undefined) {
    workers.push(work("audit log", () => writeNextEvent(services, auditSink), AUDIT_POLL_SECONDS));
  }
  void checkStore(services);
  return {
    async stop() {
      await Promise.all(workers.map((worker) => worker.stop()));
      const dispatchers = [dispatcher, webhookDispatcher, await logoutDispatcher];
      await Promise.all(dispatchers.map((each) => each?.waitUntilIdle()));
    },
  };
}

/** Only services with apps load what delivers logouts. */
async function loadLogoutDispatcher(services: Services): Promise<Dispatcher> {
  const { createLogoutDispatcher } = await import("../authorization_server/logout/logout_queue.ts");
  return createLogoutDispatcher(services);
}
