/**
 * Opens what the app stands on, and serves. It runs in three ways: as the main module in each isolate, the first of which
 * starts the others; with "migrate", which ends once the database is up to date; and imported by the build and the
 * development server, which want the app alone.
 */
import { join } from "node:path";
import { openDatabase } from "./db/connection.ts";
import { databaseTime } from "./db/database_time.ts";
import { appOptions } from "./fresh.config.ts";
import { loadAppSecret } from "./lib/crypto/app_secret.ts";
import { createWakeSignal, startWorker } from "./lib/operations/background_worker.ts";
import { type Config, ConfigError, configWarnings, readSettings } from "./lib/config.ts";
import { requireDataDir } from "./lib/data_dir.ts";
import { createApp } from "./lib/http/app.ts";
import { drainable } from "./lib/server/drain.ts";
import { endIsolate, isFirstIsolate, runIsolates, stopSignal } from "./lib/server/isolates.ts";
import { outerHandler } from "./lib/server/outer_handler.ts";
import { serve } from "./lib/server/serve.ts";
import { createWebpConverter, MAX_WAITING } from "./lib/images/webp_converter.ts";
import { createLog, errorFields } from "./lib/log.ts";
import { createDeliveryService } from "./lib/mail/delivery_service.ts";
import { createDevelopmentOutbox } from "./lib/mail/mail_folder.ts";
import { createIdentityProvider } from "./lib/oauth/identity_provider.ts";
import { createMailDispatcher } from "./lib/mail/outbox_worker.ts";
import type { MailTransport, Services } from "./lib/services.ts";
import { openObjectStore } from "./lib/storage/open_store.ts";
import { sweepExpiredRows } from "./lib/operations/expired_rows.ts";
import { VERSION } from "./lib/version.ts";

/** Retries, and mails that another instance left when it died, are found by looking; its own mails wake the worker. */
const OUTBOX_POLL_SECONDS = 1;
const SWEEP_PAUSE_SECONDS = 60;
/** To PostgreSQL: of all isolates together, but no fewer than the least for each. */
const CONNECTIONS = 10;
const LEAST_CONNECTIONS = 2;

const log = createLog();
const config = await readConfig();
const database = await openDatabase({
  databaseUrl: config.databaseUrl,
  directory: join(config.dataDir, "database"),
  connections: Math.max(LEAST_CONNECTIONS, Math.ceil(CONNECTIONS / config.isolates)),
  log,
}).catch(failWith);
await database.migrate().catch(failWith);
if (config.isProduction && config.databaseUrl === undefined) {
  log("warn", "no DATABASE_URL: the embedded database serves one process on one machine");
}
for (const warning of isFirstIsolate ? configWarnings(config) : []) log("warn", warning);

const outboxSignal = createWakeSignal();
const now = () => new Date();
const { idp, isProduction } = config;

/** What the app stands on; opened here and nowhere else. */
export const services: Services = {
  config,
  log,
  db: database.db,
  mail: createMailTransport(),
  objects: await openObjectStore(config, { now, log, sweeps: isFirstIsolate }).catch(failWith),
  images: createWebpConverter({
    maxPixels: config.imageMaxPixels,
    maxConcurrent: Math.max(1, Math.floor(navigator.hardwareConcurrency / config.isolates)),
    maxWaiting: Math.ceil(MAX_WAITING / config.isolates),
  }),
  idp: idp === undefined ? null : createIdentityProvider({ settings: idp, isProduction, now }),
  outboxSignal,
  now,
  databaseTime,
};

export const app = createApp(services, { options: appOptions });

if (Deno.args[0] === "migrate") {
  await database.close();
  log("info", "database is up to date");
} else {
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
  }, {
    name: "sweep",
    pauseSeconds: SWEEP_PAUSE_SECONDS,
    log,
  });
  if (import.meta.main) {
    void start({ stop: () => Promise.all([outbox.stop(), sweep.stop()]).then(() => dispatcher.rest()) });
  }
}

/** Serves the built app. Not awaited above: the build imports this module, which must be whole by then. */
async function start(background: { stop(): Promise<void> }) {
  try {
    // Not a literal: the type checker must not look for what only the build makes.
    const builtServer = import.meta.resolve("./_fresh/server.js");
    const { default: fresh } = await import(builtServer);
    const { handler, drain } = drainable(fresh.fetch);
    const signal = stopSignal(log);
    const count = isFirstIsolate ? config.isolates - 1 : 0;
    await serve(outerHandler(services, handler), {
      port: config.port,
      hostname: config.host,
      reusePort: config.isolates > 1,
      signal,
      others: runIsolates(count, { module: import.meta.url, log, signal }),
      log,
      drain,
      onListen: () => log("info", "listening", { url: config.baseUrl, version: VERSION }),
      async close() {
        await background.stop();
        await database.close();
      },
    });
  } catch (error) {
    await failWith(error);
  }
}

function createMailTransport(): MailTransport {
  const { dataDir, emailApiUrl: apiUrl, emailApiToken: token, emailFrom: from } = config;
  return token === undefined
    ? createDevelopmentOutbox({ directory: join(dataDir, "outbox"), from, log })
    : createDeliveryService({ apiUrl, token, from });
}

async function readConfig(): Promise<Config> {
  try {
    const settings = readSettings(Deno.env.toObject());
    await requireDataDir(settings);
    return { ...settings, appSecret: settings.appSecret ?? await loadAppSecret(settings.dataDir) };
  } catch (error) {
    return await (error instanceof ConfigError ? fail(error.message) : failWith(error));
  }
}

async function failWith(error: unknown): Promise<never> {
  log("error", "could not start", errorFields(error));
  return await fail(error instanceof Error ? error.message : String(error));
}

async function fail(message: string): Promise<never> {
  console.error(message);
  return await endIsolate("failed");
}
