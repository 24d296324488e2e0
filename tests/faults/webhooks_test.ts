import { ok, strictEqual } from "node:assert/strict";
import { testCasesOnEachEngine } from "../support/database/engines.ts";
import { type AppProcess, buildApp, startApp } from "../support/processes/app_process.ts";
import { freePort } from "../support/processes/free_port.ts";
import { waitFor } from "../support/wait_for.ts";
import { acceptWebhook, isSigned, startReceiver, type WebhookReceiver } from "../support/webhooks/receiver.ts";

await buildApp();

/** Longer than the lease of an event that a killed process was sending, and the rest of a webhook. */
const RECOVERY_MS = 60_000;
const ADMIN = { name: "Ada", email: "ada@example.com", password: "Correct-horse-7" };
const GUEST = { ...ADMIN, email: "grace@example.com" };

/** The moments at which a process can die between the event and its delivery. */
const MOMENTS: { name: string; isUp: boolean; answer: WebhookReceiver["answer"] }[] = [
  { name: "before the receiver was reached", isUp: false, answer: acceptWebhook },
  { name: "while the receiver works", isUp: true, answer: () => new Promise(() => {}) },
  { name: "after the receiver accepted the event, before the app recorded it", isUp: true, answer: acceptWebhook },
];

testCasesOnEachEngine(
  "an event is sent under one id even if the process is killed",
  MOMENTS,
  async ({ isUp, answer }, engine, folder) => {
    await using stack = new AsyncDisposableStack();
    const port = freePort();
    const early = isUp ? stack.use(startReceiver({ port })) : null;
    const env = { ...engine.env, WEBHOOK_ALLOW_PRIVATE: "true" };
    let secret: string;
    {
      await using app = await startApp({ dataDir: folder, env });
      const cookie = await register(app, ADMIN);
      await promote(folder, engine.env);
      const killed = Promise.withResolvers<void>();
      if (early !== null) {
        early.answer = (message) => {
          app.kill("SIGKILL");
          killed.resolve();
          return answer(message);
        };
      }
      secret = await addWebhook(app, { url: `http://127.0.0.1:${port}/`, cookie });
      await register(app, GUEST).catch(() => {}); // the process may die before it responds
      if (early === null) app.kill("SIGKILL");
      else await killed.promise;
      await app.ended;
    }
    const receiver = early ?? stack.use(startReceiver({ port }));
    receiver.answer = acceptWebhook;
    const attempts = receiver.received.length;
    await using _app = await startApp({ dataDir: folder, env });
    await waitFor("the event", () => receiver.received.length > attempts, { timeoutMs: RECOVERY_MS });
    strictEqual(new Set(receiver.received.map(({ headers }) => headers["webhook-id"])).size, 1);
    strictEqual(new Set(receiver.received.map(({ text }) => text)).size, 1);
    ok(receiver.received.every((message) => message.body.type === "user.registered" && isSigned(message, secret)));
  },
);

/** Makes the only user an admin, by the command for operators. */
async function promote(dataDir: string, env: Record<string, string>): Promise<void> {
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["task", "--quiet", "foyer", "users", "promote", ADMIN.email],
    env: { DATA_DIR: dataDir, DENO_JOBS: "", ...env },
  }).output();
  ok(success, new TextDecoder().decode(stderr));
}

/** Adds a webhook, and returns its secret. */
async function addWebhook(app: AppProcess, { url, cookie }: { url: string; cookie: string }): Promise<string> {
  const response = await send(app, "/api/admin/webhooks", { url, kinds: ["user.registered"] }, cookie);
  const text = await response.text();
  strictEqual(response.status, 201, text);
  return JSON.parse(text).secret;
}

/** Registers someone, and returns the cookie of the session. */
async function register(app: AppProcess, person: typeof ADMIN): Promise<string> {
  const response = await send(app, "/auth/register", person);
  strictEqual(response.status, 201, await response.text());
  return response.headers.getSetCookie().map((line) => line.split(";")[0]).join("; ");
}

async function send(app: AppProcess, path: string, body: unknown, cookie?: string): Promise<Response> {
  return await fetch(app.url + path, {
    method: "POST",
    headers: { "Content-Type": "application/json", Origin: app.url, ...cookie === undefined ? {} : { Cookie: cookie } },
    body: JSON.stringify(body),
  });
}
