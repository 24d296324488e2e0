import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { DAY_SECONDS, HOUR_SECONDS } from "../../lib/duration.ts";
import type { Services } from "../../lib/services/services.ts";
import { type AppProcess, buildApp, startApp } from "../support/processes/app_process.ts";
import { startCluster } from "../support/database/postgres_cluster.ts";
import { openProcessServices } from "../support/processes/process_services.ts";
import { register } from "../support/processes/process_session.ts";
import { type Presigned as Urls, statusOf } from "../support/processes/process_uploads.ts";
import { startS3Server } from "../support/uploads/s3_server.ts";
import { isStored, later, sweepAllUploads, sweepWholeStore } from "../support/uploads/upload_world.ts";

const APP_SECRET = "the same on all instances, 32 bytes at least";
const QUOTA_BYTES = 1_000_000;
const MANY_FILES = 60;
/** The files that were begun when one instance is killed. */
const FILES_BEFORE_KILL = 30;

await buildApp();
const bucket = await startS3Server();
const folder = await Deno.makeTempDir({ prefix: "foyer-test-" });
Deno.test.afterAll(async () => {
  await bucket.stop();
  await Deno.remove(folder, { recursive: true });
});

interface Presigned extends Urls {
  id: string;
  key: string;
}

/** Both instances, one user who is logged in on both, and the services of a third instance, which only sweeps. */
interface World {
  instances: AppProcess[];
  user: { id: string; cookie: string };
  services: Services;
}

for (const [store, storeEnv] of Object.entries({ disk: {}, bucket: bucket.env })) {
  Deno.test(`two instances lose and leave nothing in one ${store}, although one is killed`, async () => {
    await using stack = new AsyncDisposableStack();
    const world = await openWorld(stack, { store, storeEnv });
    const { instances, user, services } = world;
    strictEqual(await grantedOf(world), QUOTA_BYTES / 100_000);
    await services.db.deleteFrom("uploads").execute();

    const [mortal] = instances;
    const outcomes: Outcome[] = [];
    let begun = 0;
    const live = async () => {
      while (begun < MANY_FILES) {
        const index = begun++;
        if (index === FILES_BEFORE_KILL) {
          instances.shift();
          mortal.kill("SIGKILL");
        }
        outcomes.push(await liveOf(world, index));
      }
    };
    const sweep = async () => {
      while (begun < MANY_FILES) {
        await sweepAllUploads(later(services, begun % 2 * HOUR_SECONDS));
        await sweepWholeStore(services);
      }
    };
    await Promise.all([live(), live(), live(), live(), sweep(), sweep()]);
    const after = later(services, 3 * DAY_SECONDS);
    for (let runs = 0; runs < 2; runs++) {
      await Promise.all([1, 2].flatMap(() => [sweepAllUploads(after), sweepWholeStore(after)]));
    }

    const rows = await services.db.selectFrom("uploads").select(["key", "state", "etag"]).execute();
    const keys = await Array.fromAsync(services.objects.list({ prefix: `uploads/${user.id}/` }), ({ key }) => key);
    const objects = await Promise.all(
      keys.map(async (key) => [key, "stored", (await services.objects.head(key))!.etag]),
    );
    deepStrictEqual(rows.map(({ key, state, etag }) => [key, state, etag]).sort(), objects.sort());
    for (const { key, isKept } of outcomes) {
      if (isKept !== undefined) strictEqual(await isStored(services, key), isKept, key);
    }
    for (const isKept of [true, false]) ok(outcomes.some((each) => each.isKept === isKept));
  });
}

async function openWorld(
  stack: AsyncDisposableStack,
  { store, storeEnv }: { store: string; storeEnv: Record<string, string> },
): Promise<World> {
  const dataDir = `${folder}/${store}`;
  // Another one for each store: an instance refuses to start beside one with another store.
  const cluster = stack.use(await startCluster());
  const env = {
    ...storeEnv,
    BASE_URL: "http://foyer.test",
    DATABASE_URL: cluster.url,
    APP_SECRET,
    UPLOAD_QUOTA_BYTES: String(QUOTA_BYTES),
  };
  const start = async () => stack.use(await startApp({ dataDir, env }));
  const instances = [await start(), await start()];
  const services = await openProcessServices(stack, { dataDir, env });
  const { cookie } = await register(instances[0], `${store}@example.com`);
  const { id } = await services.db.selectFrom("users").select("id").where("email", "=", `${store}@example.com`)
    .executeTakeFirstOrThrow();
  return { instances, user: { id, cookie }, services };
}

/** How many of 50 requests at once, to both instances, get space. */
async function grantedOf(world: World): Promise<number> {
  const statuses = await Promise.all(
    Array.from({ length: 50 }, (_, index) => statusOf(presign(world, index, 100_000))),
  );
  deepStrictEqual(new Set(statuses), new Set([200, 413]));
  return statuses.filter((status) => status === 200).length;
}

/** Whether a file must be in the store at the end; undefined if the user cannot know. */
interface Outcome {
  key: string;
  isKept?: boolean;
}

/** The life of one file. Each request goes to either instance. Files differ in what happens to them at once. */
async function liveOf(world: World, index: number): Promise<Outcome> {
  const response = await presign(world, index, 5).catch(() => null);
  if (response?.status !== 200) return { key: "" };
  // The instance may be killed in the middle of its response.
  const presigned: Presigned | null = await response.json().catch(() => null);
  if (presigned === null) return { key: "" };
  const send = (turn: number, path: string, init: RequestInit) =>
    statusOf(request(world, turn, `/api/uploads/${presigned.id}${path}`, init)).catch(() => 0);
  const upload = (turn: number) => statusOf(put(world, turn, presigned)).catch(() => 0);
  const confirm = (turn: number) => send(turn, "/confirm", { method: "POST" });
  const remove = (turn: number) => send(turn, "", { method: "DELETE" });

  await upload(index);
  const stored = [confirm(0), upload(1), confirm(1)];
  const deleted = index % 3 === 0 ? [remove(0), remove(1)] : [];
  // Waits for the upload too: after the last sweep, nothing would delete what arrives.
  const [confirmedFirst, , confirmedLast] = await Promise.all(stored);
  const isConfirmed = [confirmedFirst, confirmedLast].includes(200);
  const isDeleted = (await Promise.all(deleted)).includes(204);
  if (isDeleted) return { key: presigned.key, isKept: false };
  return { key: presigned.key, isKept: isConfirmed && deleted.length === 0 ? true : undefined };
}

function presign(world: World, turn: number, size: number): Promise<Response> {
  return request(world, turn, "/api/upload/presign", {
    method: "POST",
    body: JSON.stringify({ filename: "a.txt", contentType: "text/plain", size }),
    headers: { "Content-Type": "application/json" },
  });
}

function request({ instances, user }: World, turn: number, path: string, init: RequestInit): Promise<Response> {
  const { url } = instances[turn % instances.length];
  return fetch(url + path, { ...init, headers: { Cookie: user.cookie, ...init.headers } });
}

/** Sends the content to the bucket, or to either instance. */
function put({ instances, services }: World, turn: number, { presignedUrl }: Presigned): Promise<Response> {
  const { baseUrl } = services.config;
  const url = presignedUrl.replace(baseUrl, instances[turn % instances.length].url);
  return fetch(url, { method: "PUT", body: "hello", headers: { "Content-Type": "text/plain" } });
}
