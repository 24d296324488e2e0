import { ok, strictEqual } from "node:assert/strict";
import pg from "pg";
import { buildApp, startApp, untilHealthy } from "../support/app_process.ts";
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
} from "../support/database_calls.ts";
import { DATABASE_FAULTS, endOthers } from "../support/database_faults.ts";
import { startCluster } from "../support/postgres_cluster.ts";
import { register, type Session } from "../support/process_session.ts";

/** How many times each request is in flight at once. */
const SIDE_BY_SIDE = 3;
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
// As the mailed link would.
await query("update users set email_verified = true where email = $1", [VERIFIED]);

for (const { name, strike } of DATABASE_FAULTS) {
  Deno.test(`a database ${name}: 503 in time, nothing acknowledged is lost, all is well again`, async () => {
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

Deno.test("a failover to a standby that is promoted later: it is read at once, and written to from then on", async () => {
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

Deno.test("connections that break again and again under load cost a 503 each, not the process", async () => {
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
  for (let blow = 0; blow < 8; blow++) {
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
  return Array.from({ length: SIDE_BY_SIDE }, () => CALLS).flat().map((each) => call(app, each, member.cookie));
}

/** How long the slowest of a burst takes where all is well. */
async function usualTime(member: Session): Promise<number> {
  const answers = await Promise.all(burst(member));
  answers.forEach(assertWell);
  return Math.max(...answers.map(({ startedAt, endedAt }) => endedAt - startedAt));
}

/** Each member writes once: what was sent to a database in vain may still come to pass later. */
function write(member: Session): Promise<Answer> {
  return call(app, { ...WRITE, name: "a last write", body: () => ({ bio: crypto.randomUUID() }) }, member.cookie);
}

/** What was acknowledged is there. */
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
