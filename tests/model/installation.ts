import pg from "pg";
import { accept, type DeliveredMail, startDeliveryService } from "../support/mail/delivery_service.ts";
import { startCluster } from "../support/database/postgres_cluster.ts";
import { delay } from "../support/delay.ts";
import { freePort } from "../support/processes/free_port.ts";
import { type AppProcess, buildApp, startApp } from "../support/processes/app_process.ts";
import { waitFor } from "../support/wait_for.ts";

/** The app that signs people in. */
export const CLIENT = {
  client_id: "portal",
  client_name: "Portal",
  redirect_uris: ["https://app.example/callback"],
  grant_types: ["authorization_code", "refresh_token"],
  first_party: true,
  require_verified_email: false,
};
export const LOGIN_MAX = 5;
export const LOGIN_WINDOW_SECONDS = 900;

/** Longer than a start takes on a busy machine: the first one writes every migration through to the disk. */
const START_MS = 300_000;

/** Two instances on one database, and what happens to them. */
export interface Installation extends AsyncDisposable {
  /** Returns the address of an instance, once it is up. */
  urlOf(instance: number): Promise<string>;
  /** The time of the installation in milliseconds, by the instance that is behind and by the one that is ahead. */
  time(): { earliest: number; latest: number };
  /** An address from which no request has come, in this round or an earlier one: a limit would still count that. */
  nextAddress(): string;
  /** Is called with each email that is delivered. */
  onMail: (mail: DeliveredMail) => void;
  /** The ids of the emails that were delivered. */
  delivered: Set<string>;
  query(sql: string, values?: unknown[]): Promise<Record<string, unknown>[]>;
  /** Kills an instance, and starts it again. */
  kill(instance: number): Promise<void>;
  /** Stops an instance for some time. Its connections stay open. */
  freeze(instance: number, milliseconds: number): Promise<void>;
  /** Ends the database server, or kills it, and starts it again. */
  restartDatabase(how: "stop" | "kill"): Promise<void>;
  /** Moves the clock of both instances forward, one after the other. */
  forward(seconds: number): Promise<void>;
  /** What the instances have printed. */
  output(): string;
}

/** Starts both instances on an empty database. */
export async function startInstallation(): Promise<Installation> {
  await buildApp();
  await using stack = new AsyncDisposableStack();
  const dataDir = await Deno.makeTempDir({ prefix: "foyer-model-" });
  stack.defer(() => Deno.remove(dataDir, { recursive: true }));
  const cluster = stack.use(await startCluster({ fsync: true }));
  const mails = stack.use(startDeliveryService());
  const ports = [freePort(), freePort()];
  const env = {
    APP_ENV: "test", // whose clock can be moved
    BASE_URL: `http://localhost:${ports[0]}`,
    DATABASE_URL: cluster.url,
    APP_SECRET: "the same on all instances, 32 bytes at least",
    EMAIL_API_URL: mails.url,
    EMAIL_API_TOKEN: "token",
    SIGN_IN_CODES: "true",
    TRUSTED_PROXIES: "1", // lets each request choose its address
    LIMIT_LOGIN: `${LOGIN_MAX}/${LOGIN_WINDOW_SECONDS}`,
    CLIENTS_FILE: `${dataDir}/clients.json`,
    DENO_JOBS: "1", // a request moves the clock of one isolate
  };
  await Deno.writeTextFile(env.CLIENTS_FILE, JSON.stringify({ clients: [CLIENT] }));
  // How far the clock of each instance has been moved: at least, and at most.
  const [least, most] = [[0, 0], [0, 0]];
  const printed: string[] = [];
  const apps: AppProcess[] = [];
  stack.defer(async () => {
    for (const app of apps) await app[Symbol.asyncDispose]();
  });
  const start = async (instance: number) => {
    const options = { dataDir, port: ports[instance], env, isLimited: true };
    const app = apps[instance] = await startApp(options, { awaitReady: false });
    await waitFor("an instance", () => isUp(app), { timeoutMs: START_MS });
    if (most[instance] > 0) await forwardClock(app, most[instance]);
  };
  await start(0); // which migrates the database
  await start(1);
  const up: Promise<unknown>[] = [Promise.resolve(), Promise.resolve()];
  const pool = stack.adopt(new pg.Pool({ connectionString: cluster.url, max: 2 }), (pool) => pool.end());
  pool.on("error", () => {}); // the server is restarted
  let addresses = 0;
  const installation: Installation = {
    nextAddress() {
      addresses += 1;
      return `10.${addresses >> 16 & 255}.${addresses >> 8 & 255}.${addresses & 255}`;
    },
    onMail: () => {},
    delivered: new Set(),
    async urlOf(instance) {
      await up[instance];
      return apps[instance].url;
    },
    time: () => ({ earliest: Date.now() + Math.min(...least) * 1000, latest: Date.now() + Math.max(...most) * 1000 }),
    query: async (sql, values) => (await pool.query(sql, values)).rows,
    async kill(instance) {
      const old = apps[instance];
      const restarted = Promise.withResolvers<void>();
      up[instance] = restarted.promise;
      old.kill("SIGKILL");
      await old.ended;
      printed.push(old.output());
      await start(instance);
      restarted.resolve();
    },
    async freeze(instance, milliseconds) {
      apps[instance].kill("SIGSTOP");
      await delay(milliseconds);
      apps[instance].kill("SIGCONT");
    },
    async restartDatabase(how) {
      await cluster[how]();
      await cluster.start();
    },
    async forward(seconds) {
      for (const instance of [0, 1]) {
        most[instance] += seconds;
        await forwardClock(apps[instance], seconds);
        least[instance] += seconds;
      }
    },
    output: () => [...printed, ...apps.map((app) => app.output())].join(""),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
  mails.answer = (mail) => {
    installation.delivered.add(mail.key);
    installation.onMail(mail);
    return accept(mail);
  };
  const owned = stack.move();
  return installation;
}

/** @throws {Error} if the process has ended. */
async function isUp(app: AppProcess): Promise<boolean> {
  const response = await fetch(`${app.url}/api/health`).catch(() => null);
  await response?.body?.cancel();
  const hasEnded = await Promise.race([app.ended.then(() => true), delay(0).then(() => false)]);
  if (hasEnded) throw new Error(`An instance ended: ${app.output()}`);
  return response?.ok === true;
}

async function forwardClock({ url }: AppProcess, seconds: number): Promise<void> {
  const headers = { "Content-Type": "application/json" };
  const response = await fetch(`${url}/dev/clock`, { method: "POST", body: JSON.stringify({ seconds }), headers });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`Cannot move the clock: ${response.status} ${text}`);
}
