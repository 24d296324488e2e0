import { deepStrictEqual, doesNotMatch, match, strictEqual } from "node:assert/strict";
import { PASSWORD } from "../support/app/accounts.ts";
import { type AppProcess, buildApp, startApp } from "../support/processes/app_process.ts";
import { delay } from "../support/delay.ts";
import { withFolder } from "../support/database/engines.ts";
import { startCluster } from "../support/database/postgres_cluster.ts";
import { register } from "../support/processes/process_session.ts";
import { wholePng } from "../support/images/pictures.ts";
import { waitFor } from "../support/wait_for.ts";

const ISOLATES = 6;
/** Enough for every isolate to get some. The last one is rarely handled by the first isolate. */
const SENDERS = 24;
/** Longer than closing the services takes. */
const SLOW_MS = 2_500;

await buildApp();

/** Runs a test with an app of several isolates, and the environment and folder to start another one. */
function withIsolates(test: (app: AppProcess, env: Record<string, string>, folder: string) => Promise<void>) {
  return withFolder(async (folder) => {
    await using cluster = await startCluster();
    const env = { DATABASE_URL: cluster.url, DENO_JOBS: String(ISOLATES) };
    await using app = await startApp({ dataDir: `${folder}/app`, env });
    await waitFor("all isolates", () => linesOf(app, "listening") === ISOLATES);
    await test(app, env, folder);
  });
}

Deno.test("on SIGTERM, each isolate finishes its requests and the process exits cleanly", () =>
  withIsolates(async (app) => {
    const senders = await Promise.all(Array.from({ length: SENDERS }, (_, i) => startRegistration(app, i)));
    await (await fetch(`${app.url}/api/health`)).body?.cancel();
    app.kill("SIGTERM");
    const slowest = senders.pop()!;
    const statuses = await Promise.all(senders.map((finish) => finish()));
    await delay(SLOW_MS);
    deepStrictEqual([...statuses, await slowest()], Array(SENDERS).fill("HTTP/1.1 201 Created"));
    strictEqual(await app.ended, 0);
    strictEqual(linesOf(app, "stopped"), ISOLATES);
    const numbers = Array.from({ length: ISOLATES }, (_, index) => index + 1);
    for (const message of ["listening", "stopped"]) deepStrictEqual(isolatesThatLogged(app, message), numbers);
  }));

Deno.test("a port in use and an unknown role are refused in one line, although the isolates of a process share a port", () =>
  withIsolates(async (app, env, folder) => {
    const taken = { ...env, PORT: new URL(app.url).port };
    await using second = await startApp({ dataDir: `${folder}/app`, env: taken }, { awaitReady: false });
    strictEqual(await second.ended, 1);
    match(
      second.output(),
      /^Cannot listen on HOST 127\.0\.0\.1, PORT \d+: Address already in use.*Example: PORT=\d+$/m,
    );
    doesNotMatch(second.output(), /"stack"/);
    const url = Object.assign(new URL(env.DATABASE_URL), { username: "nobody_knows" }).href;
    await using stranger = await startApp({ dataDir: `${folder}/app`, env: { DATABASE_URL: url } }, {
      awaitReady: false,
    });
    strictEqual(await stranger.ended, 1);
    match(
      stranger.output(),
      /^Cannot use the database at DATABASE_URL: role "nobody_knows" does not exist\. Example: DATABASE_URL=/m,
    );
    doesNotMatch(stranger.output(), /"stack"/);
  }));

Deno.test("one person can send 20 images at once, whichever isolates get the connections", () =>
  withIsolates(async (app) => {
    const session = await register(app, "many@example.com");
    const image = wholePng(1500, 1500);
    const statuses = await Promise.all(Array.from({ length: 20 }, async () => {
      const response = await session.uploadAvatar(image, "image/png");
      await response.body?.cancel();
      return response.status;
    }));
    deepStrictEqual(statuses, Array(20).fill(200));
  }));

/** Sends half of a request on a new connection. Returns a function that sends the rest and returns the status line. */
async function startRegistration(app: AppProcess, number: number): Promise<() => Promise<string>> {
  const connection = await Deno.connect({ port: Number(new URL(app.url).port) });
  const body = JSON.stringify({ name: "Slow", email: `slow${number}@example.com`, password: PASSWORD });
  const head = `POST /auth/register HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n` +
    `Content-Length: ${body.length}\r\n\r\n`;
  const write = (text: string) => connection.write(new TextEncoder().encode(text));
  await write(head + body.slice(0, 10));
  return async () => {
    await write(body.slice(10));
    const buffer = new Uint8Array(1024);
    const length = await connection.read(buffer) ?? 0;
    connection.close();
    return new TextDecoder().decode(buffer.subarray(0, length)).split("\r\n")[0];
  };
}

/** Returns the numbers of the isolates in their lines with this message. */
function isolatesThatLogged(app: AppProcess, message: string): number[] {
  const lines = app.output().split("\n").filter((line) => line.includes(`"message":"${message}"`));
  return lines.map((line) => JSON.parse(line).isolate).sort();
}

function linesOf(app: AppProcess, message: string): number {
  return app.output().split(`"message":"${message}"`).length - 1;
}
