import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { PASSWORD } from "../support/app/accounts.ts";
import { type AppProcess, buildApp, startApp } from "../support/processes/app_process.ts";
import { delay } from "../support/delay.ts";
import { withFolder } from "../support/database/engines.ts";
import { fetchWith } from "../support/processes/fetch_with.ts";
import { type FrontProxy, originOf, proxyPorts, startFrontProxy } from "../support/processes/front_proxy.ts";
import { startCluster } from "../support/database/postgres_cluster.ts";
import { waitFor } from "../support/wait_for.ts";

const CLIENTS = 8;
/** A client without a response for this long is waiting for the frozen instance. */
const STUCK_MS = 1_000;
const READ_PATHS = ["/api/users", "/login", "/api/health"];
await buildApp();

interface Load extends AsyncDisposable {
  reads: number[];
  writes: number[];
  /** Addresses whose registration was acknowledged. */
  registered: string[];
  /** Resolves when this many more requests have been answered. */
  answered(count: number): Promise<void>;
  /** Resolves when all clients are waiting for a response. */
  stuck(): Promise<void>;
  stop(): Promise<void>;
}

/** Sends reads and registrations through the proxy, without pauses, until stopped. */
function load({ url, certificate }: FrontProxy, name: string): Load {
  const [reads, writes]: number[][] = [[], []];
  const registered: string[] = [];
  const client = Deno.createHttpClient({ caCerts: [certificate] });
  const total = () => reads.length + writes.length;
  let isOver = false;
  const send = async (path: string, init: RequestInit = {}) => {
    const response = await fetchWith(client, url + path, init);
    await response.body?.cancel();
    return response.status;
  };
  const clients = Array.from({ length: CLIENTS }, async (_, number) => {
    for (let turn = 0; !isOver; turn++) {
      if (number % 2 === 0) {
        reads.push(await send(READ_PATHS[turn % READ_PATHS.length]));
        continue;
      }
      const email = `${name}${number}.${turn}@example.com`;
      const body = JSON.stringify({ name: "Load", email, password: PASSWORD });
      const status = await send("/auth/register", {
        method: "POST",
        body,
        headers: { "Content-Type": "application/json" },
      });
      writes.push(status);
      if (status === 201) registered.push(email);
    }
  });
  const allOver = Promise.all(clients).finally(() => client.close());
  const stop = async () => {
    isOver = true;
    await allOver;
  };
  return {
    reads,
    writes,
    registered,
    async answered(count) {
      const enough = total() + count;
      await waitFor("more responses", () => total() >= enough);
    },
    async stuck() {
      for (let before = -1; before !== total(); await delay(STUCK_MS)) before = total();
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

const distinct = (statuses: number[]) => [...new Set(statuses)].sort();

/** Returns how many requests an instance has answered successfully through the proxy. */
async function answeredBy(app: AppProcess, proxy: FrontProxy): Promise<number> {
  const log = await proxy.log();
  return log.split(`"instance":"127.0.0.1:${new URL(app.url).port}","instanceStatus":"20`).length - 1;
}

async function emails(app: AppProcess): Promise<Set<string>> {
  const found = new Set<string>();
  for (let cursor = ""; cursor !== null;) {
    const page = await fetch(`${app.url}/api/users?limit=500${cursor && `&cursor=${encodeURIComponent(cursor)}`}`);
    const { data, nextCursor } = await page.json();
    for (const { email } of data) found.add(email);
    cursor = nextCursor;
  }
  return found;
}

Deno.test("two instances behind the front proxy: one may be stopped or killed, and no acknowledged write is lost", () =>
  withFolder(async (folder) => {
    await using cluster = await startCluster();
    const ports = proxyPorts();
    const env = {
      DATABASE_URL: cluster.url,
      BASE_URL: originOf(ports),
      TRUSTED_PROXIES: "1",
      APP_SECRET: "of two instances, the same for both",
    };
    const start = (port?: number) => startApp({ dataDir: `${folder}/data`, env, port });
    const [first, second] = await Promise.all([start(), start()]);
    await using _first = first;
    await using _second = second;
    await using proxy = await startFrontProxy(folder, ports, [first.url, second.url]);

    await using stopped = load(proxy, "stopped");
    await stopped.answered(10 * CLIENTS);
    ok(await answeredBy(first, proxy) > 0 && await answeredBy(second, proxy) > 0, "one instance received all requests");
    first.kill("SIGTERM");
    strictEqual(await first.ended, 0);
    await stopped.answered(5 * CLIENTS);
    await stopped.stop();
    deepStrictEqual([distinct(stopped.reads), distinct(stopped.writes)], [[200], [201]]);

    await using again = await start(Number(new URL(first.url).port));
    const before = await answeredBy(again, proxy);
    await using killed = load(proxy, "killed");
    await waitFor("the restarted instance to be used", async () => await answeredBy(again, proxy) > before);
    // Frozen before it is killed, so that it has received requests without processing them.
    second.kill("SIGSTOP");
    await killed.stuck();
    second.kill("SIGKILL");
    await second.ended;
    await killed.answered(5 * CLIENTS);
    await killed.stop();
    deepStrictEqual(distinct(killed.reads), [200]);
    // The proxy cannot know whether these writes were carried out, so it must not repeat them.
    deepStrictEqual(distinct(killed.writes), [201, 503]);
    ok(killed.writes.filter((status) => status === 503).length <= CLIENTS);
    const kept = await emails(again);
    deepStrictEqual([...stopped.registered, ...killed.registered].filter((email) => !kept.has(email)), []);
  }));
