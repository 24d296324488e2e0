import { deepStrictEqual, doesNotMatch, match, ok, strictEqual } from "node:assert/strict";
import { type AppProcess, buildApp, startApp, untilHealthy } from "../support/processes/app_process.ts";
import { testOnEachEngine, withFolder } from "../support/database/engines.ts";
import { openMailFolder } from "../support/mail/mail_folder.ts";
import { startCluster } from "../support/database/postgres_cluster.ts";
import { waitFor } from "../support/wait_for.ts";

const TAKE_DESCRIPTORS = new URL("../support/processes/take_descriptors.ts", import.meta.url).pathname;
const PASSWORD = "Correct-horse-7";
await buildApp();

function send(app: AppProcess, path: string, body: unknown): Promise<Response> {
  return fetch(app.url + path, {
    method: "POST",
    body: JSON.stringify(body),
    headers: { "Content-Type": "application/json" },
  });
}

testOnEachEngine("an acknowledged registration and its email survive a kill", async ({ env }, folder) => {
  const email = "survivor@example.com";
  {
    await using app = await startApp({ dataDir: folder, env });
    const response = await send(app, "/auth/register", { name: "Survivor", email, password: PASSWORD });
    app.kill("SIGKILL");
    strictEqual(response.status, 201);
    await response.body?.cancel().catch(() => {});
    await app.ended;
  }
  await using app = await startApp({ dataDir: folder, env });
  const again = await send(app, "/auth/register", { name: "Survivor", email, password: PASSWORD });
  strictEqual(again.status, 409);
  await again.body?.cancel();

  const mail = await openMailFolder(`${folder}/outbox`).next({ to: email });
  const token = new URL(mail.links[0]).searchParams.get("token");
  const verified = await send(app, "/auth/verify-email", { email, token });
  strictEqual(verified.status, 200, await verified.text());
  const login = await send(app, "/auth/login", { email, password: PASSWORD });
  strictEqual(login.status, 200, await login.text());
});

Deno.test("two instances can start at the same time on one empty PostgreSQL database", async () => {
  await using cluster = await startCluster();
  await withFolder(async (folder) => {
    const env = { DATABASE_URL: cluster.url };
    const starting = [1, 2].map(() => startApp({ dataDir: `${folder}/data`, env, withBuild: true }));
    const apps = await Promise.all(starting);
    try {
      const response = await send(apps[0], "/auth/register", {
        name: "Ada",
        email: "ada@example.com",
        password: PASSWORD,
      });
      strictEqual(response.status, 201);
      const { user } = await response.json();
      const seen = await fetch(`${apps[1].url}/api/users/${user.id}`);
      strictEqual(seen.status, 200);
      await seen.body?.cancel();
    } finally {
      for (const app of apps) await app[Symbol.asyncDispose]();
    }
  });
});

Deno.test("a second process on the same folder is refused with a clear message", () =>
  withFolder(async (folder) => {
    await using first = await startApp({ dataDir: folder });
    await using second = await startApp({ dataDir: folder }, { awaitReady: false });
    strictEqual(await second.ended, 1);
    match(second.output(), /^Cannot open .*: process \d+ has it open.*Example: DATA_DIR=\S+$/m);
    doesNotMatch(second.output(), /"stack"/);
    strictEqual((await fetch(`${first.url}/api/health`).then((response) => response.json())).status, "ok");
  }));

Deno.test("the path of the data directory may contain spaces", () =>
  withFolder(async (folder) => {
    await using app = await startApp({ dataDir: `${folder}/our data` });
    strictEqual((await fetch(`${app.url}/api/health`)).status, 200);
  }));

Deno.test("a bad configuration stops the start with one message that lists every problem", () =>
  withFolder(async (folder) => {
    const env = {
      APP_ENV: "production",
      BASE_URL: "ftp://x",
      TRUSTED_PROXIES: "many",
      S3_ENDPOINT: "https://s3.example",
    };
    await using app = await startApp({ dataDir: folder, env }, { awaitReady: false });
    strictEqual(await app.ended, 1);
    const named = [...app.output().matchAll(/^- (\w+): /gm)].map(([, name]) => name);
    deepStrictEqual(named.sort(), [
      "APP_SECRET",
      "BASE_URL",
      "EMAIL_API_TOKEN",
      "EMAIL_FROM",
      "S3_ACCESS_KEY_ID",
      "S3_BUCKET",
      "S3_PUBLIC_URL",
      "S3_REGION",
      "S3_SECRET_ACCESS_KEY",
      "TRUSTED_PROXIES",
    ]);
  }));

Deno.test("running out of file descriptors stops neither the process nor the listener", () =>
  withFolder(async (folder) => {
    await using app = await startApp({ dataDir: folder, prelude: "ulimit -n 300" });
    const port = Number(new URL(app.url).port);
    const idle = await Promise.all(Array.from({ length: 500 }, () => Deno.connect({ port }).catch(() => null)));
    await waitFor("the listener", () => app.output().includes("listening again"));
    for (const connection of idle) connection?.close();
    await untilHealthy(app);
  }));

Deno.test("an error is logged and the process lives while no file descriptor is free", () =>
  withFolder(async (folder) => {
    await using app = await startApp({ dataDir: folder, prelude: "ulimit -n 300", preload: TAKE_DESCRIPTORS });
    app.kill("SIGUSR2");
    await waitFor("the error", () => app.output().includes("no file descriptor is free"));
    await untilHealthy(app);
  }));

Deno.test("the Host header changes neither the path nor the response", () =>
  withFolder(async (folder) => {
    await using app = await startApp({ dataDir: folder });
    const request = (target: string, host: string) =>
      raw(app, `GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    match(await request("/api/users/1", "evil.example/api/health?x="), /^HTTP\/1.1 400 [\s\S]*VALIDATION_FAILED/);
    match(await request("/api/health", "["), /^HTTP\/1.1 400 [\s\S]*x-content-type-options: nosniff/i);
    match(await request("/api/health", "evil.example"), /^HTTP\/1.1 200 /);
    match(await request("/%zz", "localhost"), /^HTTP\/1.1 400 /);
    const trace = await raw(app, "TRACE / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    match(trace, /^HTTP\/1.1 405 [\s\S]*allow: GET, HEAD[\s\S]*x-frame-options: DENY/i);
    match(await request("http://evil.example/api/health", "localhost"), /^HTTP\/1.1 200 /);
    match(await request("//evil.example/api/health", "localhost"), /^HTTP\/1.1 404 /);
    const redirect = await raw(
      app,
      "POST /login HTTP/1.1\r\nHost: evil.example\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
    );
    ok(!redirect.includes("evil.example"));
  }));

async function raw(app: AppProcess, request: string): Promise<string> {
  const connection = await Deno.connect({ port: Number(new URL(app.url).port) });
  await connection.write(new TextEncoder().encode(request));
  return await new Response(connection.readable).text();
}
