import { deepStrictEqual, doesNotMatch, match, ok, strictEqual } from "node:assert/strict";
import { FAMILIES } from "../../lib/metrics/families.ts";
import { PASSWORD } from "../support/app/accounts.ts";
import { startCluster } from "../support/database/postgres_cluster.ts";
import { testOnEachEngine, withFolder } from "../support/database/engines.ts";
import { wholePng } from "../support/images/pictures.ts";
import { type ParsedFamily, parseMetrics, sumOf } from "../support/metrics_text.ts";
import { type AppProcess, buildApp, startApp } from "../support/processes/app_process.ts";
import { fetchWith } from "../support/processes/fetch_with.ts";
import { freePort } from "../support/processes/free_port.ts";
import { register } from "../support/processes/process_session.ts";
import { waitFor } from "../support/wait_for.ts";

const PEOPLE = ["zelda.quux@example.com", "yorick.frob@example.org"];
/** Enough connections for each isolate to get some. */
const SENT = 40;

await buildApp();

const scrape = async (port: number) => parseMetrics(await (await fetch(`http://127.0.0.1:${port}/metrics`)).text());

/** Sends a request on a connection of its own, so that any isolate may get it. */
async function send(app: AppProcess, path: string, init: RequestInit = {}): Promise<number> {
  using client = Deno.createHttpClient({ poolMaxIdlePerHost: 0 });
  const response = await fetchWith(client, app.url + path, init);
  await response.body?.cancel();
  return response.status;
}

const login = (email: string, password = PASSWORD): RequestInit => ({
  method: "POST",
  body: JSON.stringify({ email, password }),
  headers: { "Content-Type": "application/json" },
});

Deno.test("after a known load the metrics of two isolates add up, and identify no person", () =>
  withFolder(async (folder) => {
    await using cluster = await startCluster();
    const metricsPort = freePort();
    const env = {
      DATABASE_URL: cluster.url,
      DENO_JOBS: "2",
      METRICS_PORT: String(metricsPort),
      LOGIN_MAX_ATTEMPTS: "0",
    };
    await using app = await startApp({ dataDir: folder, env });
    await waitFor("both isolates", async () => sumOf(await scrape(metricsPort), "foyer_isolates") === 2);
    const before = await scrape(metricsPort);

    const sessions = await Promise.all(PEOPLE.map((email) => register(app, email)));
    const { user: { id } } = await (await sessions[0].request("/api/profile")).json();
    strictEqual((await sessions[0].uploadAvatar(wholePng(200, 200), "image/png")).status, 200);
    const all = (count: number, act: (i: number) => Promise<number>) =>
      Promise.all(Array.from({ length: count }, (_, i) => act(i)));
    await all(SENT, () => send(app, `/api/users/${id}?limit=1`));
    await all(SENT, (i) => send(app, `/${PEOPLE[0]}/${i}`));
    // In two halves: one isolate may get most of the connections, and no isolate lets a client wait for over 25 hashes.
    for (let half = 0; half < 2; half++) {
      await all(SENT / 2, (i) => send(app, "/auth/login", login(`nobody${half}.${i}@example.com`, "Wrong-horse-7")));
    }
    await all(3, () => send(app, "/auth/login", login(PEOPLE[1])));
    await all(2, () => send(app, "/", { method: "PROPFIND" }));

    const after = await waitForMails(metricsPort, 2);
    const added = (name: string, labels: Record<string, string>) =>
      sumOf(after, name, labels) - sumOf(before, name, labels);
    const expected: [labels: Record<string, string>, count: number][] = [
      [{ route: "/auth/register", method: "POST", status: "201" }, 2],
      [{ route: "/api/profile", method: "GET", status: "200" }, 1],
      [{ route: "/api/upload/image", method: "POST", status: "200" }, 1],
      [{ route: "/api/users/:id", method: "GET", status: "200" }, SENT],
      [{ route: "other", method: "GET", status: "404" }, SENT],
      [{ route: "/auth/login", method: "POST", status: "401" }, SENT],
      [{ route: "/auth/login", method: "POST", status: "403" }, 3],
      [{ method: "other", status: "405" }, 2],
      [{}, 2 + 1 + 1 + 3 * SENT + 3 + 2],
    ];
    for (const [labels, count] of expected) {
      strictEqual(added("foyer_http_requests_total", labels), count, JSON.stringify(labels));
      strictEqual(added("foyer_http_request_duration_seconds_count", labels), count, JSON.stringify(labels));
    }
    strictEqual(added("foyer_sign_ins_total", { method: "password", outcome: "wrong" }), SENT);
    strictEqual(added("foyer_sign_ins_total", { method: "password", outcome: "refused" }), 3);
    strictEqual(added("foyer_sign_ins_total", {}), SENT + 3);
    ok(sumOf(after, "foyer_event_loop_delay_seconds_count") > sumOf(before, "foyer_event_loop_delay_seconds_count"));
    assertGauges(after);
    assertNoPerson(after, [
      ...PEOPLE,
      ...PEOPLE.flatMap((email) => email.split(/[.@]/)),
      "nobody",
      "Ada",
      "Lovelace",
      id,
    ]);
  }));

async function waitForMails(port: number, count: number): Promise<ParsedFamily[]> {
  let families: ParsedFamily[] = [];
  await waitFor("the emails", async () => {
    families = await scrape(port);
    return sumOf(families, "foyer_emails_total", { outcome: "sent" }) === count;
  });
  return families;
}

function assertGauges(families: ParsedFamily[]): void {
  deepStrictEqual(families.map(({ name }) => name).sort(), Object.values(FAMILIES).map(({ name }) => name).sort());
  for (const name of ["foyer_database_up", "foyer_store_up"]) strictEqual(sumOf(families, name), 1, name);
  for (const name of ["foyer_emails_waiting", "foyer_emails_oldest_waiting_seconds"]) {
    strictEqual(sumOf(families, name), 0, name);
  }
  for (const name of ["foyer_image_conversions_running", "foyer_image_conversions_waiting"]) {
    strictEqual(sumOf(families, name), 0, name);
  }
  strictEqual(sumOf(families, "foyer_database_connections_max"), 10);
  ok(sumOf(families, "foyer_memory_resident_bytes") > 50e6);
  ok(sumOf(families, "foyer_memory_heap_bytes") > 5e6);
  ok(Math.abs(sumOf(families, "foyer_start_time_seconds") - Date.now() / 1000) < 300);
}

/** No label has a part of an address, a name or an id, also none that looks like any. */
function assertNoPerson(families: ParsedFamily[], known: string[]): void {
  const labels = families.flatMap(({ samples }) => samples.map((sample) => sample.labels));
  deepStrictEqual([...new Set(labels.flatMap(Object.keys))].sort(), ["le", "method", "outcome", "route", "status"]);
  const values = [...new Set(labels.flatMap(Object.values))].join("\n");
  for (const text of known.filter((part) => part.length > 3 && part !== "example")) {
    strictEqual(values.toLowerCase().includes(text.toLowerCase()), false, text);
  }
  doesNotMatch(values, /@|[0-9a-f]{8}-[0-9a-f]{4}|\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}|::/);
}

testOnEachEngine("metrics are served to GET and HEAD on their own port only", async ({ env }, folder) => {
  const port = freePort();
  await using app = await startApp({ dataDir: folder, env: { ...env, METRICS_PORT: String(port) } });
  const ask = async (path: string, method = "GET") => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { method });
    return { status: response.status, headers: response.headers, text: await response.text() };
  };
  const { status, headers, text } = await ask("/metrics");
  deepStrictEqual([status, headers.get("Content-Type"), headers.get("Cache-Control"), headers.get("Set-Cookie")], [
    200,
    "text/plain; version=0.0.4; charset=utf-8",
    "no-store",
    null,
  ]);
  strictEqual(sumOf(parseMetrics(text), "foyer_database_up"), 1);
  await waitFor("a scrape that does not count its own queries", async () => {
    const families = await scrape(port);
    const names = ["foyer_database_connections_used", "foyer_database_connections_waited_for"];
    return names.every((name) => sumOf(families, name) === 0);
  });
  const head = await ask("/metrics", "HEAD");
  deepStrictEqual([head.status, head.text], [200, ""]);
  strictEqual((await ask("/")).status, 404);
  strictEqual((await ask("/metrics", "POST")).status, 405);
  strictEqual(await send(app, "/metrics"), 404);
  app.kill("SIGTERM");
  strictEqual(await app.ended, 0);
});

Deno.test("without a database, metrics say so and leave out what is unknown", () =>
  withFolder(async (folder) => {
    await using cluster = await startCluster();
    const port = freePort();
    const env = { DATABASE_URL: cluster.url, METRICS_PORT: String(port) };
    await using _app = await startApp({ dataDir: folder, env });
    await cluster.stop();
    const families = await scrape(port);
    strictEqual(sumOf(families, "foyer_database_up"), 0);
    strictEqual(sumOf(families, "foyer_store_up"), 1);
    deepStrictEqual(families.filter(({ name }) => /^foyer_emails_(waiting|oldest)/.test(name)), []);
  }));

Deno.test("a port that is taken or invalid stops the start in one line", () =>
  withFolder(async (folder) => {
    using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const { port } = listener.addr as Deno.NetAddr;
    const cases: [env: Record<string, string>, message: RegExp][] = [
      [
        { METRICS_PORT: String(port) },
        /^Cannot listen on METRICS_HOST 127\.0\.0\.1, METRICS_PORT \d+: Address already in use.*Example: METRICS_PORT=/m,
      ],
      [{ METRICS_PORT: "9464", METRICS_HOST: "192.0.2.1" }, /^Cannot listen on METRICS_HOST 192\.0\.2\.1.*Example: /m],
      [{ METRICS_PORT: "65536" }, /^- METRICS_PORT: must be a whole number from 1 to 65535/m],
    ];
    for (const [env, message] of cases) {
      await using app = await startApp({ dataDir: folder, env }, { awaitReady: false });
      strictEqual(await app.ended, 1);
      match(app.output(), message);
      doesNotMatch(app.output(), /"stack"/);
    }
  }));
