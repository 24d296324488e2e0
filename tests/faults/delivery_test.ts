import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { type AppProcess, buildApp, startApp } from "../support/processes/app_process.ts";
import { freePort } from "../support/processes/free_port.ts";
import { accept, type DeliveryService, startDeliveryService } from "../support/mail/delivery_service.ts";
import { testCasesOnEachEngine } from "../support/database/engines.ts";
import { waitFor } from "../support/wait_for.ts";

await buildApp();

/** Longer than the lease of an email that a killed process was delivering. */
const RECOVERY_MS = 40_000;

/** The moments at which a process can die between its 201 and the delivery. */
const MOMENTS: { name: string; isServiceUp: boolean; answer: DeliveryService["answer"] }[] = [
  { name: "before the service was reached", isServiceUp: false, answer: accept },
  { name: "between two attempts", isServiceUp: true, answer: () => new Response(null, { status: 500 }) },
  { name: "while the service receives the email", isServiceUp: true, answer: () => new Promise(() => {}) },
  { name: "after the service accepted the email, before the app recorded it", isServiceUp: true, answer: accept },
];

testCasesOnEachEngine(
  "an email is delivered even if the process is killed",
  MOMENTS,
  async ({ isServiceUp, answer }, engine, folder) => {
    const email = "survivor@example.com";
    await using services = new AsyncDisposableStack();
    const early = isServiceUp ? services.use(startDeliveryService()) : null;
    const url = early?.url ?? `http://127.0.0.1:${freePort()}`;
    const env = { ...engine.env, EMAIL_API_URL: url, EMAIL_API_TOKEN: "delivery-token" };
    {
      await using app = await startApp({ dataDir: folder, env });
      const registered = Promise.withResolvers<void>();
      const killed = Promise.withResolvers<void>();
      if (early !== null) {
        early.answer = async (mail) => {
          await registered.promise;
          const response = answer(mail);
          app.kill("SIGKILL");
          killed.resolve();
          return response;
        };
      }
      strictEqual(await register(app, email), 201);
      registered.resolve();
      if (early === null) app.kill("SIGKILL");
      else await killed.promise;
      await app.ended;
    }

    const service = early ?? services.use(startDeliveryService(Number(new URL(url).port)));
    service.answer = accept;
    const attempts = service.received.length;
    await using _app = await startApp({ dataDir: folder, env });
    await waitFor("the email", () => service.received.length > attempts, { timeoutMs: RECOVERY_MS });
    strictEqual(new Set(service.received.map(({ key }) => key)).size, 1);
    deepStrictEqual(service.received.map(({ body }) => body.to), service.received.map(() => email));
  },
);

async function register(app: AppProcess, email: string): Promise<number> {
  const response = await fetch(`${app.url}/auth/register`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ name: "Survivor", email, password: "Correct-horse-7" }),
  });
  await response.body?.cancel();
  return response.status;
}
