import { deepStrictEqual } from "node:assert/strict";
import { Builder } from "fresh/dev";
import { sql } from "kysely";
import { openDatabase } from "../../../db/connection.ts";
import { buildOptions } from "../../../fresh.config.ts";
import { EQUAL_TIME_STEP_MS } from "../../../lib/accounts/equal_time.ts";
import { prepareSigningKeys } from "../../../lib/access/signing_keys.ts";
import { readClientsFile } from "../../../lib/clients/load_clients.ts";
import { loadBrand } from "../../../lib/start/load_brand.ts";
import { type Config, readSettings } from "../../../lib/config/config.ts";
import { secondsAfter } from "../../../lib/duration.ts";
import { createApp } from "../../../lib/web/app.ts";
import { type Handler, outerHandler } from "../../../lib/server/outer_handler.ts";
import { createLog } from "../../../lib/log/log.ts";
import { createMetrics } from "../../../lib/metrics/metrics.ts";
import { createIdentityProviders } from "../../../lib/oauth/identity_provider.ts";
import { createBreachedPasswords } from "../../../lib/passwords/breached_passwords.ts";
import { openLanguages } from "../../../lib/texts/languages.ts";
import type { Mail, MailTransport, Services } from "../../../lib/services/services.ts";
import { openObjectStore } from "../../../lib/storage/open_store.ts";
import { createTestConverter } from "../images/test_converter.ts";
import { deliverDueMails } from "../mail/deliver_due_mails.ts";
import { createWebhookSender } from "../../../lib/webhooks/sender.ts";
import { undeclaredDetails } from "./event_details.ts";
import { documentCheck, isDocumented } from "../api/documented.ts";
import { describedApi } from "../api/entries.ts";
import { NO_LIMITS } from "./no_limits.ts";
import { ADDRESS_HEADER, createClient, type TestClient } from "./test_client.ts";
import { openTestDatabase, type TestDatabase } from "../database/test_database.ts";

export const BASE_URL = "http://foyer.test";

/** The minimum configuration for production. */
export const PRODUCTION = {
  APP_ENV: "production",
  BASE_URL: "https://foyer.example",
  APP_SECRET: "x".repeat(32),
  EMAIL_API_TOKEN: "t",
  EMAIL_FROM: "a@b.example",
};

/** Fewer iterations than anyone may configure: a hash takes a fraction of a millisecond. */
const LOW_COSTS = { pbkdf2Iterations: 1_000, equalTimeStepMs: 1 };

/** The whole app on its own port and database. Tests control its clock and can read its emails and log. */
export interface TestApp {
  services: Services;
  database: TestDatabase;
  /** The emails sent so far, oldest first. Of one delivery, those that someone waits for come first. */
  mails: Mail[];
  logLines: string[];
  /** The complete request handler, for another server. */
  handler: Handler;
  /** Creates a client with its own cookies and, by default, its own network address. */
  client(address?: string): TestClient;
  /** Moves the clock forward. */
  advance(seconds: number): void;
  /** Delivers all emails that are due, and returns how many there were. */
  deliverMails(): Promise<number>;
  /**
   * Makes password hashes and equal response times cost as much as in production until the result is disposed of.
   * Without it, they cost almost nothing. For tests of these costs, and for races between requests that hash.
   */
  useRealCosts(): Disposable;
  [Symbol.asyncDispose](): Promise<void>;
}

/** The parts of an app with which people act through the API. */
export type UsedApp = Pick<TestApp, "services" | "mails" | "client" | "advance" | "deliverMails">;

/** Opens the app for all tests of a file, and closes it after the last of them. */
export async function openSharedTestApp(env: Record<string, string> = {}): Promise<TestApp> {
  const app = await openTestApp(env);
  Deno.test.afterAll(() => app[Symbol.asyncDispose]());
  return app;
}

/**
 * Sets the clock of an app to the present, and again before each test: a product checks times with its own clock, and
 * the tests of other files may come first.
 */
export function keepPresent({ services, advance }: Pick<TestApp, "services" | "advance">): void {
  const toPresent = () => advance((Date.now() - services.now().getTime()) / 1000);
  toPresent();
  Deno.test.beforeEach(toPresent);
}

/** Options of {@linkcode openTestApp}. */
export interface TestAppOptions {
  /** Replaces the mail transport. */
  mail?: MailTransport;
  /** By default, any free port. */
  port?: number;
  /** Wraps the request handler. */
  around?(handler: Handler): Handler;
}

/** Opens the app. `env` adds to the environment. By default, only logins are rate-limited. */
export async function openTestApp(
  env: Record<string, string> = {},
  { mail, port = 0, around = (handler) => handler }: TestAppOptions = {},
): Promise<TestApp> {
  const database = await openTestDatabase();
  const folder = await Deno.makeTempDir({ prefix: "foyer-objects-" });
  const mails: Mail[] = [];
  const mailIds = new Map<Mail, string>();
  let lastDelivery: Promise<unknown> = Promise.resolve();
  const logLines: string[] = [];
  let now = new Date("2026-03-01T12:00:00.500Z");
  const clients = env.CLIENTS_FILE ? await readClientsFile(env.CLIENTS_FILE) : undefined;
  const settings = readSettings({ BASE_URL, DATA_DIR: folder, ...NO_LIMITS, ...env }, clients);
  const config: Config = {
    ...settings,
    brand: await loadBrand(settings.brand),
    appSecret: "a secret that only tests know, 32 bytes",
  };
  const realCosts = { pbkdf2Iterations: config.pbkdf2Iterations, equalTimeStepMs: EQUAL_TIME_STEP_MS };
  config.pbkdf2Iterations = LOW_COSTS.pbkdf2Iterations;
  const { breachedPasswordsUrl } = config;
  const log = createLog((line) => {
    logLines.push(line);
    if (line.includes('"message":"request failed"')) console.error(line);
  });
  const { languages, errors } = openLanguages(config);
  deepStrictEqual(errors, []);
  const services: Services = {
    config,
    languages,
    requestLanguage: null,
    db: database.db,
    longWork: database.longWork,
    log,
    metrics: createMetrics(),
    mail: mail ?? {
      send(mail, id) {
        mailIds.set(mail, id);
        mails.push(mail);
        return Promise.resolve();
      },
      listMails: () => Promise.resolve(mails.map((mail) => ({ ...mail, storedAt: now })).reverse()),
    },
    objects: await openObjectStore(config, { now: () => now, log, sweeps: true }),
    images: createTestConverter({ maxPixels: config.imageMaxPixels }),
    providers: createIdentityProviders(config, () => now),
    breachedPasswords: breachedPasswordsUrl === undefined
      ? null
      : createBreachedPasswords({ url: breachedPasswordsUrl }),
    webhooks: createWebhookSender({
      allowsPrivate: config.webhookAllowPrivate,
      privateHosts: config.webhookPrivateHosts,
    }),
    logouts: createWebhookSender({ allowsPrivate: true }),
    outboxSignal: { wake() {}, wait: () => Promise.resolve() },
    webhookSignal: { wake() {}, wait: () => Promise.resolve() },
    equalTimeStepMs: LOW_COSTS.equalTimeStepMs,
    uploadSignal: { wake() {}, wait: () => Promise.resolve() },
    now: () => now,
    describedApi,
    databaseTime: (offsetSeconds = 0) => sql<Date>`${secondsAfter(now, offsetSeconds)}::timestamptz`,
  };
  await prepareSigningKeys(services);
  const { handler, client, close } = await serve(services, { port, around });
  return {
    services,
    database,
    mails,
    logLines,
    handler,
    client,
    advance(seconds) {
      now = secondsAfter(now, seconds);
    },
    deliverMails: () => {
      const delivery = lastDelivery.then(async () => {
        const before = mails.length;
        const count = await deliverDueMails(services);
        const turns = await turnsOf(services, mails.slice(before), mailIds);
        mails.push(...mails.splice(before).sort((a, b) => turns.get(a)! - turns.get(b)!));
        return count;
      });
      lastDelivery = delivery.catch(() => {});
      return delivery;
    },
    useRealCosts() {
      setCosts(services, realCosts);
      return { [Symbol.dispose]: () => setCosts(services, LOW_COSTS) };
    },
    async [Symbol.asyncDispose]() {
      // Some tests leave a database that does not answer.
      const undeclared = await undeclaredDetails(database.db).catch(() => []);
      await close().finally(() => database[Symbol.asyncDispose]());
      await Deno.remove(folder, { recursive: true });
      deepStrictEqual([...new Set(undeclared)], [], "Events have details that lib/activity/kinds.ts does not declare");
    },
  };
}

/** Emails that are delivered at the same time arrive in any order. Tests read them in the order of their turns. */
async function turnsOf({ db }: Services, mails: Mail[], ids: Map<Mail, string>): Promise<Map<Mail, number>> {
  if (mails.length < 2) return new Map();
  const byId = new Map(mails.map((mail) => [ids.get(mail)!, mail]));
  const rows = await db.selectFrom("outbox").select("id").where("id", "in", [...byId.keys()])
    .orderBy("is_awaited", "desc").orderBy("turn_at").orderBy("id").execute();
  return new Map(rows.map(({ id }, turn) => [byId.get(id)!, turn]));
}

function setCosts(services: Services, { pbkdf2Iterations, equalTimeStepMs }: typeof LOW_COSTS): void {
  services.config.pbkdf2Iterations = pbkdf2Iterations;
  services.equalTimeStepMs = equalTimeStepMs;
}

/** Another instance of an app, with the same database, files, emails and clock. */
export interface TestInstance extends Pick<TestApp, "client"> {
  services: Services;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Opens another instance of an app. On a database server, it has its own connections.
 *
 * @param wrap replaces some of its services.
 */
export async function openTestInstance(
  { services, database: { db, config } }: TestApp,
  wrap = (services: Services) => services,
): Promise<TestInstance> {
  const own = config.databaseUrl === undefined
    ? { db, close: () => Promise.resolve() }
    : await openDatabase({ ...config, directory: "", log: () => {} });
  const instance = wrap({ ...services, db: own.db });
  const { client, close } = await serve(instance);
  return {
    services: instance,
    client,
    [Symbol.asyncDispose]: () => close().finally(own.close),
  };
}

/** The same with other settings. */
export function openTestInstanceWith(app: TestApp, settings: Partial<Config>): Promise<TestInstance> {
  return openTestInstance(app, (services) => ({ ...services, config: { ...services.config, ...settings } }));
}

/** Serves the app with these services on 127.0.0.1, to clients that may each have a network address of their own. */
export async function serve(
  services: Services,
  { port, around }: Required<Pick<TestAppOptions, "port" | "around">> = { port: 0, around: (handler) => handler },
) {
  const app = createApp(services);
  (await snapshot())(app);
  const handler = around(outerHandler(services, app.handler()));
  const undocumented: string[] = [];
  const server = Deno.serve({ hostname: "127.0.0.1", port, onListen() {} }, async (req, info) => {
    const address = req.headers.get(ADDRESS_HEADER);
    const response = await handler(req, address === null ? info : connectionFrom(address));
    const problem = await undocumentedIn(services, req, response);
    if (problem !== null) undocumented.push(problem);
    return response;
  });
  const url = `http://127.0.0.1:${server.addr.port}`;
  let clients = 0;
  return {
    handler,
    client(address = `10.0.${++clients >> 8}.${clients & 255}`) {
      return createClient({ server: url, origin: services.config.baseUrl, address });
    },
    async close() {
      await server.shutdown();
      deepStrictEqual([...new Set(undocumented)], [], "Responses do not fit the API document");
    },
  };
}

/** Returns how a response differs from the API document, or null. */
async function undocumentedIn(
  services: Services,
  { method, url }: Request,
  response: Response,
): Promise<string | null> {
  // The Host header may be malformed.
  const path = URL.parse(url)?.pathname ?? "";
  if (!isDocumented(path)) return null;
  const { status, headers } = response;
  const text = await response.clone().text();
  const problem = (await documentCheck(services)).problemOf({ method, path, status, headers, text });
  return problem && `${method} ${path}: ${status}: ${problem}\n${text.slice(0, 500)}`;
}

type ApplySnapshot = Awaited<ReturnType<Builder["build"]>>;
let built: Promise<ApplySnapshot> | undefined;

/** Returns the built routes and islands, which all apps of a test file share. */
function snapshot(): Promise<ApplySnapshot> {
  return built ??= new Builder(buildOptions).build({ snapshot: "memory" });
}

function connectionFrom(hostname: string): Deno.ServeHandlerInfo {
  return { remoteAddr: { transport: "tcp", hostname, port: 40_000 }, completed: Promise.resolve() };
}
