import { deepStrictEqual, ok, rejects, strictEqual } from "node:assert/strict";
import pg from "pg";
import { PASSWORD } from "../support/app/accounts.ts";
import { type AppProcess, buildApp, startApp } from "../support/processes/app_process.ts";
import { accept, type DeliveredMail, startDeliveryService } from "../support/mail/delivery_service.ts";
import { startCluster } from "../support/database/postgres_cluster.ts";
import { register as registerSession } from "../support/processes/process_session.ts";
import { quarters } from "../support/images/pictures.ts";
import { waitFor } from "../support/wait_for.ts";

/** Longer than the lease of an email that a killed process was delivering. */
const RECOVERY_MS = 40_000;
const LOGIN_MAX_ATTEMPTS = 5;
/** How many emails the killed instance is delivering at that moment. */
const HELD_MAILS = 5;
const OWNERS = 8;
let nextAddress = 1;
const PNG = new Uint8Array(await quarters().png().toBuffer());

await buildApp();
const folder = await Deno.makeTempDir({ prefix: "foyer-test-" });
const cluster = await startCluster({ fsync: true });
const service = startDeliveryService();
const env = {
  DATABASE_URL: cluster.url,
  APP_SECRET: "the same on all instances, 32 bytes at least",
  EMAIL_API_URL: service.url,
  LOGIN_MAX_ATTEMPTS: String(LOGIN_MAX_ATTEMPTS),
  // Lets a test choose the address of a login.
  TRUSTED_PROXIES: "1",
};
/** All instances share one folder. */
const start = (name: string, dataDir = folder) =>
  startApp({ dataDir, env: { ...env, EMAIL_API_TOKEN: `token-of-${name}` } });
/** The first is killed and restarted. The second keeps running. */
let [mortal, other] = await Promise.all(["mortal", "other"].map((name) => start(name)));
const observer = new pg.Client({ connectionString: cluster.url });
await observer.connect();
Deno.test.afterAll(async () => {
  await observer.end();
  for (const each of [mortal, other, service, cluster]) await each[Symbol.asyncDispose]();
  await Deno.remove(folder, { recursive: true });
});
Deno.test.beforeEach(async () => {
  await mortal[Symbol.asyncDispose]();
  mortal = await start("mortal");
});

interface Link {
  email: string;
  token: string;
}

interface Answer {
  status: number;
  cookie?: string;
}

Deno.test("an instance with a folder of its own refuses to start, and the others serve one another's files", async () => {
  await rejects(start("stranger", `${folder}/stranger`), /Cannot start beside another instance.*DATA_DIR/);
  const uploader = await registerSession(mortal, newEmail());
  const { url } = await (await uploader.uploadAvatar(PNG, "image/png")).json();
  for (const app of [mortal, other]) strictEqual((await fetch(new URL(new URL(url).pathname, app.url))).status, 200);
});

Deno.test("a session from one instance works on the other, even after the first is killed", async () => {
  const made = await Promise.all([mortal, other].map((app) => register(app, newEmail())));
  const seenBy = (app: AppProcess) => Promise.all(made.map(async (answer) => (await profile(app, answer!)).status));
  deepStrictEqual(await Promise.all([mortal, other].map(seenBy)), [[200, 200], [200, 200]]);
  await kill(mortal);
  deepStrictEqual(await seenBy(other), [200, 200]);
});

Deno.test("two instances share the login limit of an address, even if one is killed", async () => {
  const login = (app: AppProcess) => logIn(app, { email: newEmail(), password: PASSWORD }, "198.51.100.1");
  const attempts = Array.from({ length: 4 * LOGIN_MAX_ATTEMPTS }, (_, i) => login(i % 2 === 0 ? mortal : other));
  await Promise.race(attempts);
  await kill(mortal);
  const statuses = (await Promise.all(attempts)).map((answer) => answer?.status);
  ok(statuses.every((status) => status === 401 || status === 429 || status === undefined), statuses.join());
  ok(statuses.filter((status) => status === 401).length <= LOGIN_MAX_ATTEMPTS, statuses.join());
  mortal = await start("mortal");
  for (const app of [mortal, other]) strictEqual((await login(app))?.status, 429);
});

Deno.test("every email of two instances is delivered under one key, although one is killed while delivering", async () => {
  const killed = Promise.withResolvers<void>();
  const areHeld = Promise.withResolvers<void>();
  let held = 0;
  // Until the kill, the service holds the emails, and the app has not recorded their delivery.
  service.answer = async (mail) => {
    if (mail.authorization.includes("mortal") && ++held === HELD_MAILS) areHeld.resolve();
    await killed.promise;
    return accept(mail);
  };
  let isOver = false;
  const acknowledged: string[] = [];
  const load = [mortal, other].flatMap((app) => [app, app, app]).map(async (app) => {
    while (!isOver) {
      const email = newEmail();
      if ((await register(app, email))?.status === 201) acknowledged.push(email);
    }
  });
  await areHeld.promise;
  await kill(mortal);
  isOver = true;
  killed.resolve();
  await Promise.all(load);
  mortal = await start("mortal");

  const registered = await allEmails();
  deepStrictEqual(acknowledged.filter((email) => !registered.includes(email)), []);
  await waitFor("the last email", async () => await pendingMails() === 0, { timeoutMs: RECOVERY_MS });
  // Everyone who is registered got an email, even if the registration was not acknowledged.
  for (const email of registered) strictEqual(new Set(mailsTo(email).map(({ key }) => key)).size, 1, email);
});

/** Emailed single-use links, and the password of the account after each user of the link. */
const LINKS = [
  {
    name: "sets a password",
    ask: "/auth/forgot-password",
    use: "/auth/reset-password",
    passwordBy: (who: string) => `Set-by-${who}-1`,
  },
  { name: "verifies an address", ask: null, use: "/auth/verify-email", passwordBy: () => PASSWORD },
];
for (const { name, ask, use, passwordBy } of LINKS) {
  Deno.test(`a link that ${name} works once if two instances receive it at the same time and one is killed`, async () => {
    service.answer = accept;
    const links = await Promise.all(Array.from({ length: OWNERS }, async () => {
      const email = newEmail();
      strictEqual((await register(other, email))?.status, 201);
      if (ask !== null) strictEqual((await post(other, ask, { email }))?.status, 200);
      return { email, token: await mailedToken(email, use) };
    }));
    const follow = async (link: Link, who: "mortal" | "other" | "later" | "last") => {
      const answer = await post(who === "mortal" ? mortal : other, use, { ...link, password: passwordBy(who) });
      return answer?.status;
    };
    const followAtOnce = (link: Link) => Promise.all([follow(link, "mortal"), follow(link, "other")]);
    const assertUsed = async (link: Link, winner: string) => {
      strictEqual(await follow(link, "last"), 400);
      for (const password of new Set(["mortal", "other", "later", "last"].map(passwordBy))) {
        const status = (await logIn(other, { email: link.email, password }))?.status;
        strictEqual(status, password === passwordBy(winner) ? 200 : 401, `${winner} was first, ${password}`);
      }
    };

    for (const link of links.splice(OWNERS / 2)) {
      const [byMortal, byOther] = await followAtOnce(link);
      deepStrictEqual([byMortal, byOther].sort(), [200, 400]);
      await assertUsed(link, byMortal === 200 ? "mortal" : "other");
    }

    const release = await lockSessions(links.map(({ email }) => email));
    const byMortal = links.map((link) => follow(link, "mortal"));
    await untilWaiting(links.length, Promise.race(byMortal));
    const byOther = links.map((link) => follow(link, "other"));
    await untilWaiting(links.length + 1, Promise.all(byOther));
    await kill(mortal);
    await release();
    for (const [index, link] of links.entries()) {
      const statuses = await Promise.all([byMortal[index], byOther[index]]);
      // A statement may time out while it waits for the lock.
      ok(statuses[0] === undefined || statuses[0] === 503, statuses.join());
      ok(statuses[1] === 200 || statuses[1] === 503, statuses.join());
      const isUsed = statuses[1] === 200;
      strictEqual(await follow(link, "later"), isUsed ? 400 : 200);
      await assertUsed(link, isUsed ? "other" : "later");
    }
  });
}

async function kill(app: AppProcess): Promise<void> {
  app.kill("SIGKILL");
  await app.ended;
}

function newEmail(): string {
  return `${crypto.randomUUID()}@example.com`;
}

function register(app: AppProcess, email: string): Promise<Answer | null> {
  return post(app, "/auth/register", { name: "Ada Lovelace", email, password: PASSWORD });
}

/** By default, from a new address. */
function logIn(
  app: AppProcess,
  login: { email: string; password: string },
  address = `192.0.2.${nextAddress++}`,
): Promise<Answer | null> {
  return post(app, "/auth/login", login, { "X-Forwarded-For": address });
}

/** Returns null if there was no response. */
async function post(app: AppProcess, path: string, body: unknown, headers = {}): Promise<Answer | null> {
  const response = await fetch(app.url + path, {
    method: "POST",
    body: JSON.stringify(body),
    headers: { "Content-Type": "application/json", ...headers },
  }).catch(() => null);
  await response?.body?.cancel().catch(() => {});
  return response && { status: response.status, cookie: response.headers.getSetCookie()[0]?.split(";")[0] };
}

async function profile(app: AppProcess, { cookie }: Answer): Promise<Response> {
  const response = await fetch(`${app.url}/api/profile`, { headers: { Cookie: cookie! } });
  await response.body?.cancel();
  return response;
}

async function allEmails(): Promise<string[]> {
  const { data } = await (await fetch(`${other.url}/api/users?limit=500`)).json();
  return data.map((user: { email: string }) => user.email);
}

function mailsTo(email: string): DeliveredMail[] {
  return service.received.filter(({ body }) => body.to === email);
}

/** Waits for the email with a link to this page, and returns its token. */
async function mailedToken(email: string, page: string): Promise<string> {
  const link = new RegExp(`https?://\\S+/${page.split("/").at(-1)}\\?\\S+`);
  const findLink = () => mailsTo(email).map(({ body }) => body.text.match(link)?.[0]).find((url) => url !== undefined);
  return new URL(await waitFor(`the email to ${email}`, findLink)).searchParams.get("token")!;
}

async function pendingMails(): Promise<number> {
  const { rowCount } = await observer.query("select 1 from outbox where status = 'pending'");
  return rowCount ?? 0;
}

/** Locks the sessions of these accounts: transactions that end them wait. Returns the function that unlocks them. */
async function lockSessions(emails: string[]): Promise<() => Promise<void>> {
  const client = new pg.Client({ connectionString: cluster.url });
  await client.connect();
  await client.query("begin");
  await client.query(
    "select from sessions join users on users.id = user_id where email = any($1) for update of sessions",
    [emails],
  );
  return () => client.end();
}

/** Waits until this many statements wait for a lock, or until `otherwise` shows that they no longer will. */
async function untilWaiting(count: number, otherwise: Promise<unknown>): Promise<void> {
  let isOver = false;
  void otherwise.then(() => isOver = true);
  await waitFor(`${count} locks that are not granted`, async () => {
    const { rowCount } = await observer.query("select 1 from pg_locks where not granted");
    return isOver || rowCount! >= count;
  });
}
