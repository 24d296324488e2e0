import { ok, strictEqual } from "node:assert/strict";
import { PASSWORD } from "../app/accounts.ts";
import { createClient, type TestClient } from "../app/test_client.ts";
import type { EngineForProcess } from "../database/engines.ts";
import { delay } from "../delay.ts";
import { accept, type DeliveryService, startDeliveryService } from "../mail/delivery_service.ts";
import { waitFor } from "../wait_for.ts";
import { type AppProcess, startApp } from "./app_process.ts";
import { coreWaitMsOf, measureStrain } from "./process_probe.ts";

/** What no attack of a single client may do. */
const DELAY_MAX_MS = 1_000;
const HEALTH_MAX_MS = 500;
const GROWTH_MAX_BYTES = 400 * 1024 * 1024;
/** The attack has reached every isolate by then. */
const ATTACK_STARTS_MS = 300;
/** An attack goes on until it has sent so many requests: a busy machine takes longer for them. */
const ATTACK_REQUESTS = 150;
/** How long the delivery service takes for an email. */
const DELIVERY_MS = 1_000;

/** An app process with its own limits, behind a proxy that names the clients' addresses. */
export interface AttackedApp extends AsyncDisposable {
  engine: EngineForProcess["name"];
  process: AppProcess;
  dataDir: string;
  /** Returns a client at an address of its own, or at this one. */
  client(address?: string): TestClient;
  /** Registers a user whose address is confirmed, in a browser of their own. */
  register(name: string): Promise<Member>;
  /** Returns the subjects of the emails that an address has received. */
  subjectsTo(email: string): string[];
}

/** A user, and the browser in which they registered. */
export interface Member {
  client: TestClient;
  email: string;
}

/** Starts the app with its default limits. */
export async function startAttackedApp(
  { name: engine, env: engineEnv }: EngineForProcess,
  { dataDir, env }: { dataDir: string; env: Record<string, string> },
): Promise<AttackedApp> {
  await using stack = new AsyncDisposableStack();
  const mails: DeliveryService = stack.use(startDeliveryService());
  mails.answer = (mail) => delay(DELIVERY_MS).then(() => accept(mail));
  const process = stack.use(
    await startApp({
      dataDir,
      isLimited: true,
      env: {
        EMAIL_API_URL: mails.url,
        EMAIL_API_TOKEN: "delivery-token",
        TRUSTED_PROXIES: "1",
        DENO_V8_FLAGS: "--no-liftoff-only", // with optimized code, as in production
        ...engineEnv,
        ...env,
      },
    }),
  );
  const owned = stack.move();
  let clients = 0;
  const client = (address = `198.51.100.${++clients}`) =>
    createClient({ server: process.url, origin: process.url, address, addressHeader: "X-Forwarded-For" });
  return {
    engine,
    process,
    dataDir,
    client,
    async register(name) {
      const [member, email] = [client(), `${name}@example.com`];
      const response = await member.send("POST", "/auth/register", { name, email, password: PASSWORD });
      strictEqual(response.status, 201, await response.text());
      const { body } = await waitFor("the email", () => mails.received.find(({ body: { to } }) => to === email));
      const token = new URL(/https?:\S+/.exec(body.text)![0]).searchParams.get("token");
      const confirmed = await member.send("POST", "/auth/verify-email", { email, token });
      strictEqual(confirmed.status, 200, await confirmed.text());
      return { client: member, email };
    },
    subjectsTo: (email) =>
      mails.received.map(({ body }) => body).filter(({ to }) => to === email).map((m) => m.subject),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** Requests the reset of a password, and returns how long the email took in milliseconds, as `timeOf` does. */
export async function timeOfReset(app: AttackedApp, { email }: Member): Promise<number> {
  return await timeWithCore(app, async () => {
    strictEqual((await app.client().send("POST", "/auth/forgot-password", { email })).status, 200);
    const isReset = (subject: string) => subject.startsWith("Reset");
    await waitFor("the reset email", () => app.subjectsTo(email).some(isReset), { timeoutMs: 60_000 });
  });
}

/** An attack: one client that sends requests without a pause. */
export interface Attack {
  /** How many requests it sends at once. */
  concurrency: number;
  /** Sends one request and returns the status of the response. */
  send(): Promise<number>;
}

/**
 * Measures what other people do, first alone and then during an attack. Fails if it takes more than a second longer, or
 * if the attack delays the health check or takes too much memory. The times of actions leave out what other programs of
 * a busy machine take.
 *
 * @param others returns how long each of their actions took.
 * @returns how often each status was the response to the attack.
 */
export async function withstand(
  { process }: AttackedApp,
  { concurrency, send }: Attack,
  others: () => Promise<number[]>,
): Promise<Record<number, number>> {
  await others(); // the first requests of their kind take longer
  const aloneMs = Math.max(...await others());
  const statuses: Record<number, number> = {};
  let attackedMs = 0;
  const { blockedMs, growthBytes } = await measureStrain(process, async () => {
    let isOver = false;
    let sent = 0;
    const attack = Array.from({ length: concurrency }, async () => {
      while (!isOver || sent < ATTACK_REQUESTS) {
        sent++;
        const status = await send();
        statuses[status] = (statuses[status] ?? 0) + 1;
      }
    });
    await delay(ATTACK_STARTS_MS);
    attackedMs = Math.max(...await others().finally(() => isOver = true));
    await Promise.all(attack);
  });
  const measured = `${Math.round(aloneMs)} ms alone, ${Math.round(attackedMs)} ms attacked; health ` +
    `${Math.round(blockedMs)} ms; ${Math.round(growthBytes / 1024 / 1024)} MiB; ${Deno.inspect(statuses)}`;
  ok(attackedMs < aloneMs + DELAY_MAX_MS, measured);
  ok(blockedMs < HEALTH_MAX_MS && growthBytes < GROWTH_MAX_BYTES, measured);
  return statuses;
}

/**
 * Returns how long an action took in milliseconds, which must get this status. Leaves out how long the app and this
 * test waited for a core.
 */
export async function timeOf(app: AttackedApp, act: () => Promise<Response>, status: number): Promise<number> {
  return await timeWithCore(app, async () => {
    const response = await act();
    strictEqual(response.status, status, await response.text());
  });
}

async function timeWithCore({ process: { pid } }: AttackedApp, act: () => Promise<void>): Promise<number> {
  const [waitedMs, startedAt] = [coreWaitMsOf(pid), performance.now()];
  await act();
  return performance.now() - startedAt - (coreWaitMsOf(pid) - waitedMs);
}
