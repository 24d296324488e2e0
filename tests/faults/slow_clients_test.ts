import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { type AppProcess, buildApp, startApp } from "../support/processes/app_process.ts";
import { delay } from "../support/delay.ts";
import { withFolder } from "../support/database/engines.ts";
import { fetchWith } from "../support/processes/fetch_with.ts";
import { fileDescriptorsOf, measureStrain } from "../support/processes/process_probe.ts";
import { register } from "../support/processes/process_session.ts";
import { presign, presignMany, put, statusOf, temporaryFiles } from "../support/processes/process_uploads.ts";
import { waitFor } from "../support/wait_for.ts";

const MEBIBYTE = 1024 * 1024;
const IDLE = 2_000;
const CONCURRENT = 1_000;
const OF_EACH_KIND = 5;
const LEAVING = 60;
/** The app's deadline for a body, and the extra time that a busy machine may need. */
const DEADLINE_MS = 30_000;
const PATIENCE_MS = 15_000;
/** Ten times the durations of an idle machine, and three times the memory. */
const MEDIAN_MAX_MS = 250;
const SLOWEST_MAX_MS = 10_000;
const GROWTH_MAX_BYTES = 300 * MEBIBYTE;
const FEW = 10;
await buildApp();

const connectTo = ({ url }: AppProcess) => Deno.connect({ port: Number(new URL(url).port) });

/**
 * Sends the head, then a byte per second or nothing, until there is a response. Returns its status and how long it
 * took. Afterward Deno keeps the idle connection until the sender or a proxy closes it.
 */
async function dawdle(app: AppProcess, head: string, { isStalled }: { isStalled: boolean }): Promise<[number, number]> {
  const connection = await connectTo(app);
  const startedAt = performance.now();
  await connection.write(new TextEncoder().encode(head));
  const sendByte = () => void connection.write(new Uint8Array([45])).catch(() => {});
  const timer = isStalled ? undefined : setInterval(sendByte, 1_000);
  const patience = delay(DEADLINE_MS + PATIENCE_MS).then(() => null);
  const buffer = new Uint8Array(64);
  const count = await Promise.race([connection.read(buffer), patience]);
  clearInterval(timer);
  connection.close();
  const [, status] = new TextDecoder().decode(buffer.subarray(0, count ?? 0)).split(" ");
  return [Number(status), performance.now() - startedAt];
}

/** Returns functions that return the start of each kind of request with a body. Each upload has a URL of its own. */
async function slowHeads(app: AppProcess): Promise<(() => string)[]> {
  const session = await register(app, "slow@example.com");
  const uploads = await presignMany(session, LEAVING + 2 * OF_EACH_KIND, 9_000);
  const head = (start: string, type: string) =>
    `${start} HTTP/1.1\r\nHost: localhost\r\nCookie: ${session.cookie}\r\nContent-Type: ${type}\r\nContent-Length: 9000\r\n\r\n`;
  return [
    () => head("POST /auth/login", "application/json"),
    () => head("POST /login", "application/x-www-form-urlencoded"),
    // The bytes that trickle in are dashes: with this boundary, they could become a form.
    () => head("POST /api/upload/image", `multipart/form-data; boundary=${"-".repeat(70)}`),
    () => head(`PUT ${uploads.pop()}`, "video/mp4"),
  ];
}

/** Sends many requests at the same time, and returns the different responses. */
async function flood(app: AppProcess): Promise<string[]> {
  using client = Deno.createHttpClient({}); // keeps no idle connections
  const paths = ["/api/users", "/login", "/api/health", "/api/profile"];
  const responses = await Promise.all(Array.from({ length: CONCURRENT }, async (_, number) => {
    const path = paths[number % paths.length];
    return `${path}: ${await statusOf(fetchWith(client, app.url + path))}`;
  }));
  return [...new Set(responses)].sort();
}

/** Sends parts of bodies and disconnects. */
async function leave(app: AppProcess, heads: (() => string)[]): Promise<void> {
  await Promise.all(Array.from({ length: LEAVING }, async (_, number) => {
    using connection = await connectTo(app);
    await connection.write(new TextEncoder().encode(heads[number % heads.length]() + "half of it"));
  }));
}

Deno.test("slow, stalled, disconnecting and simultaneous senders are handled in time without affecting others", () =>
  withFolder(async (folder) => {
    await using app = await startApp({ dataDir: folder });
    const heads = await slowHeads(app);
    const others = await register(app, "others@example.com");
    const video = await presign(others);
    const idle = await Promise.all(Array.from({ length: IDLE }, () => connectTo(app)));
    await statusOf(fetch(`${app.url}/api/health`));
    const descriptors = await fileDescriptorsOf(app);

    const kinds = heads.flatMap((head) => [{ head, isStalled: false }, { head, isStalled: true }]);
    let dawdlers: [number, number][] = [];
    const { growthBytes, healthMs } = await measureStrain(app, async () => {
      const dawdling = Promise.all(
        kinds.flatMap((kind) => Array.from({ length: OF_EACH_KIND }, () => dawdle(app, kind.head(), kind))),
      );
      await leave(app, heads);
      deepStrictEqual(await flood(app), ["/api/health: 200", "/api/profile: 401", "/api/users: 200", "/login: 200"]);
      strictEqual(await statusOf(put(video, new Uint8Array(MEBIBYTE))), 200);
      strictEqual(await statusOf(others.request("/api/profile")), 200);
      dawdlers = await dawdling;
    });
    const [median, slowest] = [healthMs[Math.floor(healthMs.length / 2)], healthMs.at(-1)!];
    const strain = `${Math.round(growthBytes / MEBIBYTE)} MiB; health took ${median} to ${slowest} ms`;
    ok(growthBytes < GROWTH_MAX_BYTES && median < MEDIAN_MAX_MS && slowest < SLOWEST_MAX_MS, strain);
    deepStrictEqual([...new Set(dawdlers.map(([status]) => status))], [400]);
    for (const [, ms] of dawdlers) {
      ok(DEADLINE_MS - 500 < ms && ms < DEADLINE_MS + PATIENCE_MS, `cut off after ${ms} ms`);
    }
    deepStrictEqual(await temporaryFiles(folder), []);

    // Clients that were cut off or have left keep nothing open. The app itself may have opened a few files for good.
    await waitFor("files to be closed", async () => await fileDescriptorsOf(app) <= descriptors + FEW);
    for (const connection of idle) connection.close();
    await waitFor("connections to be closed", async () => await fileDescriptorsOf(app) <= descriptors + FEW - IDLE);
    strictEqual(await statusOf(fetch(`${app.url}/api/health`)), 200);
  }));
