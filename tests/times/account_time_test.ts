import { ok, strictEqual } from "node:assert/strict";
import { createWakeSignal, startWorker } from "../../lib/operations/background_worker.ts";
import { HOUR_SECONDS } from "../../lib/duration.ts";
import { createMailDispatcher } from "../../lib/mail/outbox_worker.ts";
import { PASSWORD, registerUser, registerVerifiedUser } from "../support/accounts.ts";
import { openSharedTestApp } from "../support/test_app.ts";

const app = await openSharedTestApp({ SIGN_IN_CODES: "true", LOGIN_MAX_ATTEMPTS: "0" });
app.useRealCosts();
const SAMPLES = 40;
/** The AUC is 0.5 if both kinds of address take the same time, and 1 if one always takes longer. */
const MAX_DISTANCE_FROM_HALF = 0.15;
/** Other processes can distort one round. A real difference would show in all of them. */
const ROUNDS = 3;

const token = "wrong";
const CASES = [
  { path: "/auth/forgot-password", status: 200, fields: {} },
  { path: "/auth/code", status: 200, fields: {} },
  { path: "/auth/code/verify", status: 401, fields: { code: "12345678" } },
  { path: "/auth/resend-verification", status: 200, fields: {} },
  { path: "/auth/reset-password", status: 400, fields: { token, password: "Another-horse-8" } },
  { path: "/auth/verify-email", status: 400, fields: { token } },
];

const verified = await registerVerifiedUser(app, "verified@example.com");
const unverified = await registerUser(app, "unverified@example.com");

for (const { path, status, fields } of CASES) {
  Deno.test(`${path} takes the same time for known and unknown addresses`, async () => {
    await using _worker = startMailWorker();
    await testTimes(path, status, (email) => app.client().send("POST", path, { email, ...fields }));
  });
}

for (const path of ["/reset-password", "/verify-email"]) {
  Deno.test(`the page ${path} takes the same time for known and unknown addresses`, async () => {
    await testTimes(path, 200, (email) => app.client().get(`${path}?${new URLSearchParams({ email, token })}`));
  });
}

Deno.test("/api/account/email takes the same time for known and unknown addresses", async () => {
  const path = "/api/account/email";
  const { client } = await registerVerifiedUser(app, "requester@example.com");
  // From here on, the worker may hold an email that the test wants to deliver itself.
  await using _worker = startMailWorker();
  const prove = async () => void await client.send("POST", "/auth/reauthenticate", { password: PASSWORD });
  await testTimes(path, 200, (email) => client.send("POST", path, { email }), prove);
});

/** @param prepare runs before each request, outside the measured time. */
async function testTimes(
  path: string,
  status: number,
  send: (email: string) => Promise<Response>,
  prepare = () => Promise.resolve(),
): Promise<void> {
  const known = path.includes("verif") ? unverified.email : verified.email;
  const measure = async (email: string) => {
    await prepare();
    const startedAt = performance.now();
    const response = await send(email);
    const milliseconds = performance.now() - startedAt;
    strictEqual(response.status, status, await response.text());
    return milliseconds;
  };
  const results: number[] = [];
  while (results.length < ROUNDS && !isFair(results.at(-1))) results.push(await auc(known, measure));
  ok(isFair(results.at(-1)), `AUC in each round: ${results.join(", ")}`);
}

function isFair(auc = 1): boolean {
  return Math.abs(auc - 0.5) <= MAX_DISTANCE_FROM_HALF;
}

/** The probability that a request for the known address takes longer than one for an unknown address. */
async function auc(knownEmail: string, send: (email: string) => Promise<number>): Promise<number> {
  const [known, unknown]: number[][] = [[], []];
  for (let sample = 0; sample < SAMPLES; sample++) {
    app.advance(HOUR_SECONDS); // resets the hourly limit of emails
    const isKnownFirst = Math.random() < 0.5;
    for (const isKnown of [isKnownFirst, !isKnownFirst]) {
      if (isKnown) known.push(await send(knownEmail));
      else unknown.push(await send(`nobody${sample}@example.com`));
    }
  }
  const wins = known.flatMap((long) => unknown.map((short) => long > short ? 1 : long === short ? 0.5 : 0));
  return wins.reduce<number>((sum, win) => sum + win, 0) / wins.length;
}

/** Delivers emails as the server does: in the same thread, woken by requests. */
function startMailWorker(): AsyncDisposable {
  const signal = createWakeSignal();
  const { services } = app;
  services.outboxSignal = signal;
  const dispatcher = createMailDispatcher(services);
  const worker = startWorker(() => dispatcher.dispatch(), {
    name: "outbox",
    pauseSeconds: 1,
    signal,
    log: services.log,
  });
  return {
    async [Symbol.asyncDispose]() {
      await worker.stop();
      await dispatcher.waitUntilIdle();
    },
  };
}
