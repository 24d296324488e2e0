import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { type AppProcess, buildApp, startApp } from "../support/app_process.ts";
import { delay } from "../support/delay.ts";
import { withFolder } from "../support/engines.ts";
import { startCluster } from "../support/postgres_cluster.ts";

await buildApp();

Deno.test("with PostgreSQL several isolates serve on one port, and all of them end in order", () =>
  withFolder(async (folder) => {
    await using cluster = await startCluster();
    const env = { DATABASE_URL: cluster.url, DENO_JOBS: "3" };
    await using app = await startApp({ dataDir: folder, env });
    while (linesOf(app, "listening") < 3) await delay(20);
    const statuses = await Promise.all(Array.from({ length: 30 }, () => statusOnNewConnection(app)));
    deepStrictEqual(new Set(statuses), new Set([200]));
    app.kill("SIGTERM");
    strictEqual(await app.ended, 0);
    strictEqual(linesOf(app, "stopped"), 3);
  }));

Deno.test("a port that is taken is refused, though isolates share theirs", () =>
  withFolder(async (folder) => {
    await using cluster = await startCluster();
    const env = { DATABASE_URL: cluster.url, DENO_JOBS: "3" };
    await using first = await startApp({ dataDir: `${folder}/first`, env });
    const taken = { ...env, PORT: new URL(first.url).port };
    await using second = await startApp({ dataDir: `${folder}/second`, env: taken }, { awaitReady: false });
    strictEqual(await second.ended, 1);
    match(second.output(), /Address already in use/);
  }));

function linesOf(app: AppProcess, message: string): number {
  return app.output().split(`"message":"${message}"`).length - 1;
}

async function statusOnNewConnection({ url }: AppProcess): Promise<number> {
  const response = await fetch(`${url}/api/health`, { headers: { Connection: "close" } });
  await response.body?.cancel();
  return response.status;
}
