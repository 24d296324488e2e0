/** The composition root: configuration, database, services, app. No other file opens a connection. */
import { join } from "node:path";
import { databaseTime, openDatabase } from "./db/connection.ts";
import { appOptions } from "./fresh.config.ts";
import { EQUAL_TIME_STEP_MS } from "./lib/accounts/equal_time.ts";
import { refreshClients } from "./lib/clients/registrations.ts";
import { type Config, ConfigError, configWarnings } from "./lib/config/config.ts";
import { createApp } from "./lib/web/app.ts";
import { imageReceiver } from "./lib/images/converter_folder.ts";
import { borrowConverter } from "./lib/images/converter_connection.ts";
import { createWebpConverter } from "./lib/images/webp_converter.ts";
import { createSharedClock } from "./lib/installation/clock.ts";
import { createLog } from "./lib/log/log.ts";
import { createMetrics } from "./lib/metrics/metrics.ts";
import { isLogReadable, readableLine } from "./lib/log/readable_log.ts";
import { openMailTransport } from "./lib/mail/transports/open_transport.ts";
import { createBreachedPasswords } from "./lib/passwords/breached_passwords.ts";
import { createWakeSignal } from "./lib/jobs/background_worker.ts";
import { mayMigrate } from "./db/database_use.ts";
import { isFirstIsolate } from "./lib/start/isolates.ts";
import { loadConfig } from "./lib/start/load_config.ts";
import type { ImageConverter, Services } from "./lib/services/services.ts";
import { openLanguages, textProblems } from "./lib/texts/languages.ts";
import type { Languages } from "./lib/texts/texts.ts";
import { openObjectStore } from "./lib/storage/open_store.ts";
import { createWebhookSender } from "./lib/webhooks/sender.ts";

/** dev.ts writes it. */
const API_DESCRIPTION = "_fresh/api.json";
/** PostgreSQL connections of the process, which its isolates share, and the minimum for each isolate. */
const CONNECTIONS = 10;
const MIN_CONNECTIONS_PER_ISOLATE = 2;

const env = Deno.env.toObject();
const config = await loadConfig(env);
const log = createLog(undefined, isLogReadable(config) ? readableLine : undefined, config.logLevel);
for (const warning of isFirstIsolate ? configWarnings(config, env) : []) log("warn", warning);

/** For the entry points, which maintain and close the database. Everything else uses `services.db`. */
export const database = await openDatabase({
  databaseUrl: config.databaseUrl,
  directory: join(config.dataDir, "database"),
  connections: Math.max(MIN_CONNECTIONS_PER_ISOLATE, Math.ceil(CONNECTIONS / config.isolates)),
  log,
});

/** For the entry points, which keep it right. Everything else uses `services.now`. */
export const clock = createSharedClock();
const { now } = clock;
const metrics = createMetrics();
const languages = openConfiguredLanguages();
const [objects, providers, mail] = await Promise.all([
  openObjectStore(config, { now, log, sweeps: isFirstIsolate }),
  createProviders(),
  openMailTransport(config, { log }),
  mayMigrate() ? database.migrate() : database.requireMigrated(),
]);

if (config.databaseUrl !== undefined) await clock.adjust({ db: database.db, databaseTime });

/** Everything the app depends on. */
export const services: Services = {
  config,
  log,
  metrics,
  db: database.db,
  longWork: database.longWork,
  mail,
  objects,
  images: createImageConverter(config),
  providers,
  breachedPasswords: config.breachedPasswordsUrl === undefined
    ? null
    : createBreachedPasswords({ url: config.breachedPasswordsUrl }),
  webhooks: createWebhookSender({
    allowsPrivate: config.webhookAllowPrivate,
    privateHosts: config.webhookPrivateHosts,
  }),
  logouts: createWebhookSender({ allowsPrivate: true }),
  outboxSignal: createWakeSignal(),
  webhookSignal: createWakeSignal(),
  equalTimeStepMs: EQUAL_TIME_STEP_MS,
  uploadSignal: createWakeSignal(),
  now,
  describedApi: () => Deno.readTextFile(new URL(API_DESCRIPTION, import.meta.url)),
  ...config.isTest && { forwardClock: clock.forward },
  databaseTime,
  languages,
  requestLanguage: null,
};

// Apps made in the browser. Later, a worker reads those of other instances.
await refreshClients(services);

export const app = createApp(services, { options: appOptions });

/** @throws {ConfigError} if the texts have mistakes. */
function openConfiguredLanguages(): Languages {
  const { languages, errors, warnings } = openLanguages(config);
  if (errors.length > 0) throw new ConfigError(textProblems(errors));
  for (const warning of isFirstIsolate ? warnings : []) log("warn", warning);
  return languages;
}

/** The OAuth library is loaded only if a provider is configured. */
async function createProviders(): Promise<Services["providers"]> {
  if (config.providers.length === 0) return new Map();
  const { createIdentityProviders } = await import("./lib/oauth/identity_provider.ts");
  return createIdentityProviders(config, now);
}

function createImageConverter({ converterFolder, imageMaxPixels }: Config): ImageConverter {
  const fail = () => Promise.reject(new Error("Cannot convert images: CONVERTER_FOLDER is not set"));
  return createWebpConverter({
    receive: converterFolder === undefined ? fail : imageReceiver(converterFolder),
    borrow: (request) => converterFolder === undefined ? fail() : borrowConverter(converterFolder, request),
    maxPixels: imageMaxPixels,
    counts: metrics.conversions,
  });
}
