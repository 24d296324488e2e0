import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { type AppProcess, buildApp, startApp } from "../support/processes/app_process.ts";
import { withFolder } from "../support/database/engines.ts";
import { startCluster } from "../support/database/postgres_cluster.ts";
import { waitFor } from "../support/wait_for.ts";

await buildApp();

Deno.test("an instance is ready only while PostgreSQL responds and can write, and live always", () =>
  withFolder(async (folder) => {
    await using cluster = await startCluster();
    await using app = await startApp({ dataDir: folder, env: { DATABASE_URL: cluster.url } });
    deepStrictEqual(await ask(app), [200, "ok", "connected"]);
    await cluster.pause();
    deepStrictEqual(await ask(app), [503, "error", "disconnected"]);
    strictEqual((await fetch(`${app.url}/api/health/live`).then(async (it) => [it.status, await it.text()]))[0], 200);
    await cluster.resume();
    await until(app, "connected");
    await cluster.demote();
    await until(app, "read-only");
    deepStrictEqual(await ask(app), [503, "error", "read-only"]);
    await cluster.stop();
    deepStrictEqual(await ask(app), [503, "error", "disconnected"]);
  }));

async function ask(app: AppProcess): Promise<[number, string, string]> {
  const response = await fetch(`${app.url}/api/health/ready`);
  const { status, db } = await response.json();
  return [response.status, status, db];
}

async function until(app: AppProcess, state: string): Promise<void> {
  await waitFor(state, async () => (await ask(app))[2] === state);
}
