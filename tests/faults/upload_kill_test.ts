import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { openSession } from "../../lib/access/session_start.ts";
import { createUser } from "../../lib/users/user.ts";
import { DAY_SECONDS, HOUR_SECONDS, secondsAfter } from "../../lib/duration.ts";
import type { Services } from "../../lib/services/services.ts";
import { objectKeys } from "../../lib/uploads/object_key.ts";
import { usedBytes } from "../../lib/uploads/quota.ts";
import { type AppProcess, buildApp, startApp } from "../support/processes/app_process.ts";
import { withFolder } from "../support/database/engines.ts";
import { freezeAtEachStep } from "../support/processes/frozen_requests.ts";
import { quarters } from "../support/images/pictures.ts";
import { startCluster } from "../support/database/postgres_cluster.ts";
import { openProcessServices } from "../support/processes/process_services.ts";
import { temporaryFiles } from "../support/processes/process_uploads.ts";
import { startS3Server } from "../support/uploads/s3_server.ts";
import { SOME_CLIENT } from "../support/app/some_client.ts";
import { later, setRowsSince, sweepAllUploads, sweepWholeStore } from "../support/uploads/upload_world.ts";

const APP_SECRET = "the same for the app and the sweep, 32 bytes";
const PRELOAD = new URL("../support/processes/freeze_steps.ts", import.meta.url).pathname;
/** Wide enough for both copies of an image for posts, and quickly converted. */
const WIDE_PNG = new Uint8Array(await quarters(undefined, 1300, 8).png().toBuffer());

await buildApp();

interface World {
  app: AppProcess;
  services: Services;
}

/** The upload of a user that has none but this one. */
interface Upload {
  id: string;
  presignedUrl: string;
}

/** Someone whom no other request concerns. */
interface Person {
  id: string;
  send(method: string, path: string, body?: BodyInit | Record<string, unknown>): PersonRequest;
}

interface PersonRequest {
  url: string;
  init: RequestInit;
}

/** A request of a new user that is killed at each step, and what must be left of it once the store has been swept. */
interface Action {
  /** Prepares the world for the request. */
  prepare(person: Person): Promise<PersonRequest>;
  /** The status of the request if it is not killed, and the number of the person's objects after it. */
  status: number;
  objects: number;
  /** The number of objects if the request is killed; either number if there are two. */
  objectsIfKilled: number[];
  /** Only disk stores receive files themselves. */
  isForDisk?: true;
}

const ACTIONS: Record<string, Action> = {
  presign: {
    prepare: ({ send }) => Promise.resolve(send("POST", "/api/upload/presign", declared())),
    status: 200,
    objects: 0,
    objectsIfKilled: [0],
  },
  upload: {
    prepare: async (person) => put(await presign(person)),
    status: 200,
    objects: 1,
    objectsIfKilled: [0, 1],
    isForDisk: true,
  },
  "another upload": {
    async prepare(person) {
      const presigned = await presign(person);
      await done(put(presigned));
      return put(presigned, "other");
    },
    status: 200,
    objects: 1,
    objectsIfKilled: [1],
    isForDisk: true,
  },
  confirm: {
    async prepare(person) {
      const presigned = await presign(person);
      await done(put(presigned));
      return person.send("POST", `/api/uploads/${presigned.id}/confirm`);
    },
    status: 200,
    objects: 1,
    objectsIfKilled: [1],
  },
  "refused confirm": {
    async prepare(person) {
      const presigned = await presign(person, "image/png");
      await done(put(presigned, "<html", "image/png"));
      return person.send("POST", `/api/uploads/${presigned.id}/confirm`);
    },
    status: 400,
    objects: 0,
    objectsIfKilled: [0],
  },
  delete: {
    async prepare(person) {
      const presigned = await presign(person);
      await done(put(presigned));
      await done(person.send("POST", `/api/uploads/${presigned.id}/confirm`));
      return person.send("DELETE", `/api/uploads/${presigned.id}`);
    },
    status: 204,
    objects: 0,
    objectsIfKilled: [0, 1],
  },
  "image upload": {
    prepare: (person) => Promise.resolve(person.send("POST", "/api/upload/image", imageForm())),
    status: 200,
    objects: 3,
    objectsIfKilled: [0, 3],
  },
  "image delete": {
    async prepare(person) {
      const { id } = await (await done(person.send("POST", "/api/upload/image", imageForm()))).json();
      return person.send("DELETE", `/api/uploads/${id}`);
    },
    status: 204,
    objects: 0,
    objectsIfKilled: [0, 3],
  },
  "upload by a form": {
    prepare: (person) => Promise.resolve(person.send("POST", "/uploads", fileForm())),
    status: 303,
    objects: 1,
    objectsIfKilled: [0, 1],
  },
};

Deno.test("a kill at any step of a request orphans and loses nothing on the disk", () =>
  withFolder(async (dataDir) => {
    await killAtEachStep({ dataDir, actions: ACTIONS }, async () => {
      ok((await temporaryFiles(dataDir)).length > 0);
    });
    deepStrictEqual(await temporaryFiles(dataDir), []);
  }));

Deno.test("a kill at any step of a request orphans and loses nothing in a bucket", () =>
  withFolder(async (dataDir) => {
    await using bucket = await startS3Server();
    const actions = Object.fromEntries(Object.entries(ACTIONS).filter(([, { isForDisk }]) => !isForDisk));
    await killAtEachStep({ dataDir, actions, storeEnv: bucket.env });
  }));

interface Kill {
  dataDir: string;
  actions: Record<string, Action>;
  storeEnv?: Record<string, string>;
}

/** Someone whose request has been killed or has reached its end. */
interface Outcome {
  person: Person;
  name: string;
  isDone: boolean;
}

/** Kills an app in the middle of many requests, starts it again, and lets the sweeps of the next days run. */
async function killAtEachStep(
  { dataDir, actions, storeEnv }: Kill,
  afterKill: () => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  await using stack = new AsyncDisposableStack();
  // Another one for each store: an instance refuses to start where one with another store has just been killed.
  const cluster = stack.use(await startCluster());
  const env = { ...storeEnv, DATABASE_URL: cluster.url, APP_SECRET, DENO_JOBS: "1" };
  const app = stack.use(await startApp({ dataDir, env, preload: PRELOAD }));
  const services = await openProcessServices(stack, { dataDir, env: { ...env, BASE_URL: app.url } });
  await setRowsSince(services, secondsAfter(services.now(), -10 * DAY_SECONDS));
  const outcomes = await freezeActions({ app, services }, actions);
  app.kill("SIGKILL");
  await app.ended;
  await afterKill();
  stack.use(await startApp({ dataDir, env }));
  for (const seconds of [0, HOUR_SECONDS, 3 * DAY_SECONDS, 4 * DAY_SECONDS]) {
    await sweepAllUploads(later(services, seconds));
    await sweepWholeStore(later(services, seconds));
  }
  for (const outcome of outcomes) await requireAgreement(services, outcome, actions[outcome.name]);
  deepStrictEqual(await strayObjects(services), []);
}

async function freezeActions(world: World, actions: Record<string, Action>): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const [name, { prepare, status }] of Object.entries(actions)) {
    await freezeAtEachStep(async () => {
      const person = await createPerson(world);
      const outcome = { person, name, isDone: false };
      outcomes.push(outcome);
      return { ...await prepare(person), status, onDone: () => outcome.isDone = true };
    });
  }
  return outcomes;
}

async function createPerson({ app, services }: World): Promise<Person> {
  const { db, now } = services;
  const email = `${crypto.randomUUID()}@example.com`;
  const { id } = await createUser(
    db,
    { email, name: "Ada", passwordHash: null, emailVisible: true, language: null },
    now(),
  );
  const session = { userId: id, method: "password", client: SOME_CLIENT, isSecondStepDone: true } as const;
  const { token } = await db.transaction().execute((trx) => openSession(trx, services, session));
  return {
    id,
    send(method, path, body) {
      const isJson = body?.constructor === Object;
      const headers = {
        Cookie: `auth_session=${token}`,
        Origin: app.url,
        ...isJson && { "Content-Type": "application/json" },
      };
      const init = { method, headers, body: isJson ? JSON.stringify(body) : body as BodyInit, redirect: "manual" };
      return { url: app.url + path, init: init as RequestInit };
    },
  };
}

function declared(contentType = "text/plain") {
  return { filename: "a.txt", contentType, size: 5 };
}

async function presign({ send }: Person, contentType?: string): Promise<Upload> {
  return await (await done(send("POST", "/api/upload/presign", declared(contentType)))).json();
}

function put({ presignedUrl }: Upload, body = "hello", contentType = "text/plain"): PersonRequest {
  return { url: presignedUrl, init: { method: "PUT", body, headers: { "Content-Type": contentType } } };
}

function imageForm(): FormData {
  const form = new FormData();
  form.set("type", "post");
  form.set("file", new File([WIDE_PNG], "a.png", { type: "image/png" }));
  return form;
}

function fileForm(): FormData {
  const form = new FormData();
  form.set("file", new File(["hello"], "a.txt", { type: "text/plain" }));
  return form;
}

async function done({ url, init }: PersonRequest): Promise<Response> {
  const response = await fetch(url, init);
  ok(response.ok, `${init.method} ${url}: ${response.status}`);
  return response;
}

/** Checks that exactly the objects of the person's rows exist, and count against the quota. */
async function requireAgreement(
  { db, objects }: Services,
  { person: { id }, name, isDone }: Outcome,
  action: Action,
): Promise<void> {
  const rows = await db.selectFrom("uploads").select(["key", "etag", "state"]).where("user_id", "=", id).execute();
  const sizes: number[] = [];
  for (const { key, etag, state } of rows) {
    const heads = await Promise.all(objectKeys(key).map((each) => objects.head(each)));
    deepStrictEqual([state, etag], ["stored", heads[0]?.etag], name);
    sizes.push(...heads.flatMap((head) => head?.sizeBytes ?? []));
  }
  const expected = isDone ? [action.objects] : action.objectsIfKilled;
  ok(expected.includes(sizes.length), `${name}: ${sizes.length} objects${isDone ? "" : " after a kill"}`);
  strictEqual(await usedBytes(db, id), sizes.reduce((sum, size) => sum + size, 0), name);
}

/** The keys of all objects that no row owns. */
async function strayObjects({ db, objects }: Services): Promise<string[]> {
  const rows = await db.selectFrom("uploads").select("key").execute();
  const known = new Set(rows.flatMap(({ key }) => objectKeys(key)));
  return (await Array.fromAsync(objects.list(), ({ key }) => key)).filter((key) => !known.has(key));
}
