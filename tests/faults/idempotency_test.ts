import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { PASSWORD } from "../support/app/accounts.ts";
import { type AppProcess, buildApp, startApp } from "../support/processes/app_process.ts";
import { testOnEachEngine } from "../support/database/engines.ts";
import { waitFor } from "../support/wait_for.ts";

/** How many requests of each round are sent, and how many of them are answered when the process is killed. */
const REQUESTS = 10;
const ANSWERED = [1, 4];

await buildApp();

testOnEachEngine(
  "a killed process leaves the effect of a request and its response, or neither",
  async ({ env }, dataDir) => {
    const unanswered: string[] = [];
    for (const answered of ANSWERED) {
      await using app = await startApp({ dataDir, env });
      const keys = Array.from({ length: REQUESTS }, (_, index) => `round-${answered}-${index}`);
      const statuses: (number | null)[] = [];
      const sent = keys.map(async (key, index) => statuses[index] = await statusOf(register(app, key)));
      await waitFor("the first responses", () => statuses.filter((status) => status === 201).length >= answered);
      app.kill("SIGKILL");
      await Promise.all(sent);
      unanswered.push(...keys.filter((_, index) => statuses[index] !== 201));
    }
    ok(unanswered.length > 0, "no request was interrupted");

    await using app = await startApp({ dataDir, env });
    for (const key of unanswered) strictEqual(await registerAgain(app, key), 201, key);
    const { data } = await (await fetch(`${app.url}/api/users?limit=500`)).json();
    deepStrictEqual(data.length, REQUESTS * ANSWERED.length);
  },
);

function register(app: AppProcess, key: string): Promise<Response> {
  return fetch(`${app.url}/auth/register`, {
    method: "POST",
    headers: { "Content-Type": "application/json", "Idempotency-Key": key },
    body: JSON.stringify({ name: "Ada", email: `${key}@example.com`, password: PASSWORD }),
  });
}

/** Returns null if the connection breaks. */
async function statusOf(request: Promise<Response>): Promise<number | null> {
  const response = await request.catch(() => null);
  await response?.body?.cancel();
  return response?.status ?? null;
}

/** Repeats a request until the claim of the killed process has lapsed. */
async function registerAgain(app: AppProcess, key: string): Promise<number> {
  return await waitFor(`the end of the claim of ${key}`, async () => {
    const response = await register(app, key);
    const { code } = await response.json();
    return code === "IDEMPOTENCY_IN_PROGRESS" ? undefined : response.status;
  });
}
