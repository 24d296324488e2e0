import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import pg from "pg";
import { PASSWORD } from "../support/accounts.ts";
import { buildApp, startApp, untilHealthy } from "../support/app_process.ts";
import { delay } from "../support/delay.ts";
import { DATABASE_FAULTS, endOthers } from "../support/database_faults.ts";
import { startCluster } from "../support/postgres_cluster.ts";
import { register, type Session } from "../support/process_session.ts";

/** Whoever asks learns within this time that there is no answer. */
const PATIENCE_MS = 3_000;
/** A request that takes longer hangs. */
const HANGING_MS = 10_000;
/** How many times each request is in flight at once. */
const SIDE_BY_SIDE = 5;
const VERIFIED = "verified@example.com";

/** A request for which the database is needed. */
interface Call {
  name: string;
  path: string;
  method?: string;
  /** Sent as JSON, to a page as a form. */
  body?: () => Record<string, string>;
  withSession?: boolean;
  /** Where all is well. */
  status: number;
}

const newcomer = () => ({ name: "Newcomer", email: `${crypto.randomUUID()}@example.com`, password: PASSWORD });
const WRITE: Call = {
  name: "a write",
  path: "/api/profile",
  method: "PUT",
  body: () => ({ location: "London" }),
  withSession: true,
  status: 200,
};
const REGISTRATION: Call = {
  name: "a registration",
  path: "/auth/register",
  method: "POST",
  body: newcomer,
  status: 201,
};
const CALLS: Call[] = [
  { name: "health", path: "/api/health", status: 200 },
  { name: "a read", path: "/api/users", status: 200 },
  { name: "a session read", path: "/api/profile", withSession: true, status: 200 },
  { name: "a page", path: "/users", withSession: true, status: 200 },
  { name: "the start page of a member", path: "/", withSession: true, status: 200 },
  { name: "a member's page", path: "/dashboard", withSession: true, status: 200 },
  WRITE,
  {
    name: "a login",
    path: "/auth/login",
    method: "POST",
    body: () => ({ email: VERIFIED, password: PASSWORD }),
    status: 200,
  },
  {
    name: "a login by form",
    path: "/login",
    method: "POST",
    body: () => ({ email: VERIFIED, password: PASSWORD }),
    status: 303,
  },
  REGISTRATION,
  {
    name: "a forgotten password",
    path: "/auth/forgot-password",
    method: "POST",
    body: () => ({ email: VERIFIED }),
    status: 200,
  },
];
/** Ends the session where all is well, so it is made only where nothing is. */
const LOGOUT: Call = { name: "a logout", path: "/auth/logout", method: "POST", withSession: true, status: 200 };

/** What a call came to. */
interface Answer extends Call {
  response: Response;
  text: string;
  cookie: string;
  startedAt: number;
  endedAt: number;
  sent?: Record<string, string>;
}

await buildApp();
const folder = await Deno.makeTempDir({ prefix: "foyer-test-" });
const cluster = await startCluster({ fsync: true, maxConnections: 60 });
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
await verify(VERIFIED);

for (const { name, strike } of DATABASE_FAULTS) {
  Deno.test(`a database ${name}: 503 in time, nothing acknowledged is lost, all is well again`, async () => {
    const members = await Promise.all(CALLS.map(() => register(app, newcomer().email)));
    const [member] = members;
    const inFlight = [...burst(member), ...members.map(write)];
    const struckAt = performance.now();
    const heal = await strike(cluster);
    const hit: Answer[] = [];
    try {
      hit.push(...await Promise.all(inFlight));
      for (const answer of hit) if (answer.response.status !== answer.status) assertUnavailable(answer, struckAt);
      const struck = await Promise.all([...burst(member), call(LOGOUT, member.cookie)]);
      for (const answer of struck) assertUnavailable(answer);
    } finally {
      await heal();
    }
    await untilHealthy(app);
    const healed = await Promise.all(burst(member));
    for (const answer of healed) strictEqual(answer.response.status, answer.status, `${answer.name}: ${answer.text}`);
    await assertKept([...hit, ...healed]);
    for (const { request } of members) strictEqual((await request("/api/profile")).status, 200);
  });
}

Deno.test("connections that break again and again under load cost a 503 each, not the process", async () => {
  const breaker = new pg.Client({ connectionString: cluster.url });
  await breaker.connect();
  const statuses = new Set<number>();
  let isOver = false;
  const load = Array.from({ length: 8 }, async () => {
    while (!isOver) {
      const { response } = await call(REGISTRATION);
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
  return Array.from({ length: SIDE_BY_SIDE }, () => CALLS).flat().map((each) => call(each, member.cookie));
}

/** Each member writes once: what was sent to a database in vain may still come to pass later. */
function write(member: Session): Promise<Answer> {
  return call({ ...WRITE, name: "a last write", body: () => ({ bio: crypto.randomUUID() }) }, member.cookie);
}

async function call(request: Call, cookie = ""): Promise<Answer> {
  const startedAt = performance.now();
  const sent = request.body?.();
  const response = await fetch(app.url + request.path, {
    method: request.method,
    redirect: "manual",
    signal: AbortSignal.timeout(HANGING_MS),
    body: sent && (isForPrograms(request) ? JSON.stringify(sent) : new URLSearchParams(sent)),
    headers: {
      ...request.withSession ? { Cookie: cookie } : {},
      ...sent && isForPrograms(request) ? { "Content-Type": "application/json" } : {},
    },
  });
  const text = await response.text();
  return { ...request, cookie, response, text, sent, startedAt, endedAt: performance.now() };
}

function isForPrograms({ path }: Call): boolean {
  return /^\/(api|auth)\//.test(path);
}

function assertUnavailable(answer: Answer, struckAt = 0): void {
  const { name, path, response, text, startedAt, endedAt } = answer;
  const durationMs = Math.round(endedAt - Math.max(startedAt, struckAt));
  strictEqual(response.status, 503, `${name}: ${text}`);
  ok(durationMs < PATIENCE_MS, `${name} took ${durationMs} ms`);
  deepStrictEqual(response.headers.getSetCookie(), [], name);
  if (path === "/api/health") {
    const { status, db } = JSON.parse(text);
    deepStrictEqual({ status, db }, { status: "error", db: "disconnected" });
  } else if (isForPrograms(answer)) {
    const message = "The service is not available at the moment";
    deepStrictEqual(JSON.parse(text), { message, code: "UNAVAILABLE", error: message, details: {} });
  } else {
    match(response.headers.get("Content-Type") ?? "", /^text\/html/);
    match(text, /Please try again in a moment/);
  }
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

/** As the mailed link would. */
async function verify(email: string): Promise<void> {
  const client = new pg.Client({ connectionString: cluster.url });
  await client.connect();
  await client.query("update users set email_verified = true where email = $1", [email]);
  await client.end();
}
