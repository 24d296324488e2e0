import { ok, strictEqual } from "node:assert/strict";
import pg from "pg";
import { buildApp, startApp, untilHealthy } from "../support/processes/app_process.ts";
import { delay } from "../support/delay.ts";
import {
  type Answer,
  assertUnavailable,
  assertWell,
  call,
  CALLS,
  LOGOUT,
  newcomer,
  REGISTRATION,
  VERIFIED,
  WRITE,
} from "../support/database/database_calls.ts";
import { DATABASE_FAULTS, endOthers } from "../support/database/database_faults.ts";
import { startCluster } from "../support/database/postgres_cluster.ts";
import { register, type Session } from "../support/processes/process_session.ts";

/** How many copies of each request are sent at the same time. */
const CONCURRENT = 3;
await buildApp();
const folder = await Deno.makeTempDir({ prefix: "foyer-test-" });
const cluster = await startCluster({ fsync: true, maxConnections: 100 });
const env = { DATABASE_URL: cluster.url, LOGIN_MAX_ATTEMPTS: "0" };
const app = await startApp({ dataDir: folder, env });
Deno.test.afterAll(async () => {
  await app[Symbol.asyncDispose]();
  await cluster[Symbol.asyncDispose]();
  await Deno.remove(folder, { recursive: true });
});
Deno.test.afterEach(() =>
  strictEqual(app.output().match(/^.*(uncaught error|unhandled rejection).*$/m)?.[0], undefined)
);
await register(app, VERIFIED);
// As the link in the email would.
await query("update users set email_verified = true where email = $1", [VERIFIED]);

for (const { name, strike } of DATABASE_FAULTS) {
  Deno.test(`a database ${name} causes 503 in time and no lost writes, and the app recovers`, async () => {
    const members = await Promise.all(CALLS.map(() => register(app, newcomer().email)));
    const [member] = members;
    const usualMs = await usualTime(member);
    const inFlight = [...burst(member), ...members.map(write)];
    const struckAt = performance.now();
    const heal = await strike(cluster);
    const hit: Answer[] = [];
    try {
      hit.push(...await Promise.all(inFlight));
      for (const answer of hit) {
        if (answer.response.status !== answer.status) assertUnavailable(answer, { usualMs, struckAt });
      }
      const struck = await Promise.all([...burst(member), call(app, LOGOUT, member.cookie)]);
      for (const answer of struck) assertUnavailable(answer, { usualMs });
    } finally {
      await heal();
    }
    await untilHealthy(app);
    const healed = await Promise.all(burst(member));
    healed.forEach(assertWell);
    await assertKept([...hit, ...healed]);
    for (const { request } of members) strictEqual((await request("/api/profile")).status, 200);
  });
}

Deno.test("after a failover to a standby, reads work at once, and writes after its promotion", async () => {
  const member = await register(app, newcomer().email);
  const usualMs = await usualTime(member);
  await cluster.demote();
  await untilHealthy(app);
  for (const answer of await Promise.all(burst(member))) {
    if (answer.method === undefined) assertWell(answer);
    else assertUnavailable(answer, { usualMs });
  }
  await query("select pg_promote()");
  const promoted = await Promise.all(burst(member));
  promoted.forEach(assertWell);
  await assertKept(promoted);
});

Deno.test("connections that keep breaking under load cause 503, and the process survives", async () => {
  const breaker = new pg.Client({ connectionString: cluster.url });
  await breaker.connect();
  const statuses = new Set<number>();
  let isOver = false;
  const load = Array.from({ length: 8 }, async () => {
    while (!isOver) {
      const { response } = await call(app, REGISTRATION);
      statuses.add(response.status);
    }
  });
  for (let round = 0; round < 8; round++) {
    await endOthers(breaker);
    await delay(150);
  }
  isOver = true;
  await Promise.all(load);
  await breaker.end();
  ok(statuses.has(201));
  ok([...statuses].every((status) => status === 201 || status === 503), [...statuses].join());
  await untilHealthy(app);
});

function burst(member: Session): Promise<Answer>[] {
  return Array.from({ length: CONCURRENT }, () => CALLS).flat().map((each) => call(app, each, member.cookie));
}

/** Returns the duration of the slowest request of a burst without a fault. */
async function usualTime(member: Session): Promise<number> {
  const answers = await Promise.all(burst(member));
  answers.forEach(assertWell);
  return Math.max(...answers.map(({ startedAt, endedAt }) => endedAt - startedAt));
}

/** Each member writes only once: a write that failed may still be carried out later. */
function write(member: Session): Promise<Answer> {
  return call(app, { ...WRITE, name: "a last write", body: () => ({ bio: crypto.randomUUID() }) }, member.cookie);
}

/** All acknowledged writes were kept. */
async function assertKept(answers: Answer[]): Promise<void> {
  const acknowledged = answers.filter(({ response, status }) => response.status === status);
  const { data } = await (await fetch(`${app.url}/api/users?limit=500`)).json();
  const emails = data.map((user: { email: string }) => user.email);
  for (const { path, sent } of acknowledged) {
    if (path === "/auth/register") ok(emails.includes(sent!.email), `${sent!.email} is lost`);
  }
  for (const { sent, cookie } of acknowledged.filter(({ sent }) => sent?.bio !== undefined)) {
    const response = await fetch(`${app.url}/api/profile`, { headers: { Cookie: cookie } });
    strictEqual((await response.json()).user.bio, sent!.bio);
  }
}

async function query(text: string, values: string[] = []): Promise<void> {
  const client = new pg.Client({ connectionString: cluster.url });
  await client.connect();
  await client.query(text, values).finally(() => client.end());
}
