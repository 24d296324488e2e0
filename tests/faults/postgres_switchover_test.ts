import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import pg from "pg";
import { type AppProcess, buildApp, startApp } from "../support/processes/app_process.ts";
import { call, REGISTRATION } from "../support/database/database_calls.ts";
import { withFolder } from "../support/database/engines.ts";
import { type Cluster, startCluster } from "../support/database/postgres_cluster.ts";
import { type Relay, startRelay } from "../support/relay.ts";
import { waitFor } from "../support/wait_for.ts";

const ISOLATES = 2;
/** Enough for each isolate to get some: the system spreads connections over them. */
const BURST = 24;
/** After so many good bursts, no connection is left that leads to the old primary. */
const GOOD_BURSTS = 4;
const HEALED_MS = 5_000;

await buildApp();

interface Setting {
  app: AppProcess;
  relay: Relay;
  primary: Cluster;
  replica: Cluster;
  /** The oldest connection to the primary, which is the last one to learn of a new setting. */
  oldest: pg.Client;
  /** Addresses whose registration was acknowledged. */
  registered: string[];
}

/** How the old primary stops taking writes while it stays up. */
const SWITCHES: { name: string; retire(setting: Setting): Promise<void> }[] = [
  {
    name: "the old primary comes back as a standby before the address moves",
    async retire(setting) {
      await setting.primary.demote(); // sends the replica all that it has
      await waitFor("the pools to connect to the standby", async () => (await burst(setting)).every(isRefused));
    },
  },
  {
    name: "the old primary keeps its connections and only reads",
    async retire({ primary, replica, oldest }) {
      await query(primary, "alter system set default_transaction_read_only = on");
      await query(primary, "select pg_reload_conf()");
      const setting = "select current_setting('default_transaction_read_only')::bool as on";
      await waitFor("the setting", async () => (await oldest.query(setting)).rows[0].on);
      const [{ at }] = await query(primary, "select pg_current_wal_lsn() as at");
      const sql = `select pg_last_wal_replay_lsn() >= '${at}' as "isThere"`;
      await waitFor("the replica to catch up", async () => (await query(replica, sql))[0].isThere);
    },
  },
];

for (const { name, retire } of SWITCHES) {
  Deno.test(`after a switch to a replica, writes succeed again on every isolate: ${name}`, () =>
    withFolder(async (folder) => {
      await using primary = await startCluster();
      const oldest = new pg.Client({ connectionString: primary.url }).on("error", () => {}); // it is cut off
      await oldest.connect();
      using relay = startRelay(portOf(primary));
      const env = { DATABASE_URL: `postgres://postgres@127.0.0.1:${relay.port}/postgres`, DENO_JOBS: String(ISOLATES) };
      await using app = await startApp({ dataDir: folder, env });
      await waitFor("all isolates", () => lines(app, "listening").length === ISOLATES);
      await using replica = await primary.replicate();
      const setting = { app, relay, primary, replica, oldest, registered: [] };
      ok((await burst(setting)).every(isWell));
      await retire(setting);
      await query(replica, "select pg_promote()");
      relay.moveTo(portOf(replica));
      await untilHealed(setting);

      const kept = (await query(replica, "select email from users")).map(({ email }) => email);
      deepStrictEqual(setting.registered.filter((email) => !kept.includes(email)), []);
      await oldest.end().catch(() => {});
    }));
}

Deno.test("the log says why the database takes no writes, and a start and a check are refused with the reason", () =>
  withFolder(async (folder) => {
    await using primary = await startCluster();
    const env = { DATABASE_URL: primary.url };
    {
      await using app = await startApp({ dataDir: folder, env });
      await query(primary, "alter role postgres set default_transaction_read_only = on");
      await query(primary, "select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid()");
      const line = await waitFor("the line", () => lines(app, "the database is read-only")[0]);
      match(line, /default_transaction_read_only is on for the role, the database or the server/);
    }
    match(await refusalOf(folder, env), /DATABASE_URL: default_transaction_read_only is on for the role/);
    await query(primary, "begin read write; alter role postgres reset all; commit");
    await primary.demote();
    match(await refusalOf(folder, env), /^Cannot use the database at DATABASE_URL: it is a standby/m);
  }));

/** Sends registrations at once. Returns their statuses. */
async function burst({ app, registered }: Setting): Promise<number[]> {
  const answers = await Promise.all(Array.from({ length: BURST }, () => call(app, REGISTRATION)));
  registered.push(...answers.filter(({ response }) => isWell(response.status)).map(({ sent }) => sent!.email));
  return answers.map(({ response }) => response.status);
}

const isWell = (status: number) => status === 201;
const isRefused = (status: number) => status === 503;

/** Waits for several bursts in a row in which every write succeeds. */
async function untilHealed(setting: Setting): Promise<void> {
  const startedAt = performance.now();
  const seen: number[][] = [];
  for (let good = 0; good < GOOD_BURSTS;) {
    const statuses = await burst(setting);
    seen.push(statuses);
    ok(statuses.every((status) => isWell(status) || isRefused(status)), statuses.join());
    good = statuses.every(isWell) ? good + 1 : 0;
    ok(good > 0 || performance.now() - startedAt < HEALED_MS, `still failing: ${JSON.stringify(seen)}`);
  }
}

async function refusalOf(dataDir: string, env: Record<string, string>): Promise<string> {
  await using app = await startApp({ dataDir, env }, { awaitReady: false });
  strictEqual(await app.ended, 1);
  return app.output();
}

function lines(app: AppProcess, message: string): string[] {
  return app.output().split("\n").filter((line) => line.includes(`"message":"${message}"`));
}

const portOf = ({ url }: Cluster) => Number(new URL(url).port);

// deno-lint-ignore no-explicit-any -- the rows of any statement
async function query({ url }: Cluster, text: string): Promise<any[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return await client.query(text).then(({ rows }) => rows).finally(() => client.end());
}
