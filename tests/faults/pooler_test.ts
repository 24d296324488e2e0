import { strictEqual } from "node:assert/strict";
import { startCluster } from "../support/database/postgres_cluster.ts";
import { ensure, PGBOUNCER } from "../support/prerequisites.ts";
import { buildApp, startApp } from "../support/processes/app_process.ts";
import { freePort } from "../support/processes/free_port.ts";
import { register } from "../support/processes/process_session.ts";
import { waitFor } from "../support/wait_for.ts";

await buildApp();

Deno.test("the service starts behind PgBouncer in session mode, as docs/deployment.md says", async () => {
  await using cluster = await startCluster();
  await using pooler = await startPgBouncer(new URL(cluster.url));
  const dataDir = await Deno.makeTempDir({ prefix: "foyer-test-" });
  {
    await using app = await startApp({ dataDir, env: { DATABASE_URL: pooler.url } });
    const session = await register(app, "pooled@example.com");
    const response = await fetch(`${app.url}/api/profile`, { headers: { cookie: session.cookie } });
    strictEqual((await response.json()).user.email, "pooled@example.com");
  }
  await Deno.remove(dataDir, { recursive: true });
});

/** Starts PgBouncer in front of a server. It refuses to run as root. */
async function startPgBouncer(server: URL): Promise<AsyncDisposable & { url: string }> {
  const port = freePort();
  const path = await Deno.makeTempFile({ prefix: "foyer-pgbouncer-", suffix: ".ini" });
  await Deno.writeTextFile(
    path,
    `[databases]
postgres = host=${server.hostname} port=${server.port} user=${server.username}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = session
default_pool_size = 50
`,
  );
  await Deno.chmod(path, 0o644);
  const account = Deno.uid() === 0 ? ["-u", "postgres"] : [];
  const args = ["-q", ...account, path];
  const child = new Deno.Command(await ensure(PGBOUNCER), { args, stdout: "null", stderr: "null" }).spawn();
  await waitFor("PgBouncer", () =>
    Deno.connect({ hostname: "127.0.0.1", port }).then((connection) => {
      connection.close();
      return true;
    }, () => false));
  return {
    url: `postgres://${server.username}@127.0.0.1:${port}/postgres`,
    async [Symbol.asyncDispose]() {
      child.kill("SIGTERM");
      await child.status;
      await Deno.remove(path);
    },
  };
}
