import { deepStrictEqual, notStrictEqual, ok, strictEqual } from "node:assert/strict";
import { DAY_SECONDS, MINUTE_SECONDS } from "../../lib/duration.ts";
import { PASSWORD, registerUser, registerVerifiedUser } from "../support/app/accounts.ts";
import { crashAfter } from "../support/app/crash.ts";
import { quarters } from "../support/images/pictures.ts";
import { openSharedTestApp, openTestInstance, type TestInstance } from "../support/app/test_app.ts";
import type { TestClient } from "../support/app/test_client.ts";
import { waitFor } from "../support/wait_for.ts";

const app = await openSharedTestApp({ LIMIT_REGISTER: "8/60" });
const other = await openTestInstance(app);
Deno.test.afterAll(() => other[Symbol.asyncDispose]());
const { db } = app.services;
const PICTURE = new File([new Uint8Array(await quarters().png().toBuffer())], "me.png", { type: "image/png" });
const FILE = { filename: "a.txt", contentType: "text/plain", size: 5 };
const member = await registerVerifiedUser(app, "member@example.com");

/** A client of an instance, with the session of the member unless the route is for guests. */
function on(instance: Pick<TestInstance, "client">, { name }: KeyedRoute): TestClient {
  const client = instance.client("10.9.9.9");
  if (name === "/auth/register") return client;
  for (const [name, value] of member.client.cookies) client.cookies.set(name, value);
  return client;
}

const keyed = (key: string) => ({ "Idempotency-Key": key });
const isReplay = ({ headers }: Response) => headers.get("Idempotent-Replayed") === "true";
/** Refusals drop their claim after the response. */
const waitForDroppedClaims = () =>
  waitFor(
    "the dropped claims",
    async () => (await db.selectFrom("submissions").select("id").where("outcome", "is", null).execute()).length === 0,
  );
const countOf = async (table: "users" | "uploads" | "sessions" | "submissions" | "api_tokens") =>
  (await db.selectFrom(table).select("id").execute()).length;

/** A route that accepts keys. */
interface KeyedRoute {
  name: string;
  table: "users" | "uploads" | "api_tokens";
  status: number;
  send(client: TestClient, key: string, salt?: string): Promise<Response>;
}

const upload = (client: TestClient, key: string, fields: Record<string, string | File>) => {
  const body = new FormData();
  for (const [name, value] of Object.entries(fields)) body.set(name, value);
  return client.request("/api/upload/image", { method: "POST", body, headers: keyed(key) });
};
const ROUTES: KeyedRoute[] = [
  {
    name: "/api/users",
    table: "users",
    status: 201,
    send: (client, key, salt = "") =>
      client.send("POST", "/api/users", { name: "Guest", email: `invited-${key}${salt}@example.com` }, keyed(key)),
  },
  {
    name: "/api/upload/presign",
    table: "uploads",
    status: 200,
    send: (client, key, salt = "") =>
      client.send("POST", "/api/upload/presign", { ...FILE, filename: `${salt}a.txt` }, keyed(key)),
  },
  {
    name: "/api/upload/image",
    table: "uploads",
    status: 200,
    send: (client, key, salt) => upload(client, key, { type: salt === undefined ? "post" : "avatar", file: PICTURE }),
  },
  {
    name: "/api/tokens",
    table: "api_tokens",
    status: 201,
    async send(client, key, salt = "") {
      await db.updateTable("sessions").set({ authenticated_at: app.services.now() }).execute();
      return await client.send("POST", "/api/tokens", { name: `${key}${salt}`, scopes: ["users:read"] }, keyed(key));
    },
  },
  {
    name: "/auth/register",
    table: "users",
    status: 201,
    send: (client, key, salt = "") =>
      client.send("POST", "/auth/register", newcomer(`new-${key}${salt}@example.com`), keyed(key)),
  },
];
const newcomer = (email: string) => ({ name: "Grace", email, password: PASSWORD });

for (const route of ROUTES) {
  const { name, table, status, send } = route;
  Deno.test(`${name}: for 24 hours, a repetition gets the same response and has no effect`, async () => {
    const before = await countOf(table);
    const clients = [on(app, route), on(other, route)];
    const first = await send(clients[0], "same");
    strictEqual(first.status, status);
    strictEqual(isReplay(first), false);
    app.advance(DAY_SECONDS - 2);
    const second = await send(clients[1], "same");
    deepStrictEqual([second.status, isReplay(second)], [status, true]);
    strictEqual(await second.text(), await first.text());
    strictEqual(await countOf(table), before + 1);

    const reused = await send(clients[1], "same", "another-");
    strictEqual(reused.status, 422);
    strictEqual((await reused.json()).code, "IDEMPOTENCY_KEY_REUSED");
    strictEqual(isReplay(await send(clients[0], "same")), true, "a refused request changes nothing");
    app.advance(3);
    const later = await send(clients[0], "same");
    strictEqual(isReplay(later), false);
    strictEqual(later.status, table === "users" ? 409 : status, "the key is free again");
  });

  Deno.test(`${name}: of 50 requests at once on two instances, one has an effect`, async () => {
    using _costs = app.useRealCosts();
    const before = await countOf(table);
    const responses = await Promise.all(
      Array.from({ length: 50 }, (_, index) => send(on([app, other][index % 2], route), "fifty")),
    );
    strictEqual(await countOf(table), before + 1);
    const originals = responses.filter((each) => each.status === status && !isReplay(each));
    strictEqual(originals.length, 1);
    const body = await originals[0].text();
    for (const each of responses) {
      if (each === originals[0]) continue;
      if (each.status === status) {
        deepStrictEqual([isReplay(each), await each.text()], [true, body]);
      } else {
        strictEqual(each.status, 409);
        strictEqual((await each.json()).code, "IDEMPOTENCY_IN_PROGRESS");
        strictEqual(each.headers.get("Retry-After"), "1");
      }
    }
  });

  Deno.test(`${name}: an instance that is killed at any moment leaves one effect and its response, or neither`, async () => {
    let isAlive = false;
    for (let steps = 0; !isAlive; steps++) {
      const before = await countOf(table);
      const key = `killed-${steps}`;
      await using mortal = await openTestInstance(app, (services) => ({
        ...crashAfter(steps, services),
        log() {},
      }));
      isAlive = (await send(on(mortal, route), key)).status === status;
      app.advance(61); // the claim of the dead instance lapses
      const repeated = await send(on(app, route), key);
      strictEqual(repeated.status, status, `${steps} steps`);
      const isReplayed = isReplay(repeated);
      if (isAlive) strictEqual(isReplayed, true);
      const left = await db.selectFrom("uploads").select("id").where("state", "=", "pending").execute();
      // A killed conversion leaves a file that no one sees, which the sweep deletes.
      const unseen = name === "/api/upload/image" ? left.length : 0;
      strictEqual(await countOf(table) - unseen, before + 1, `${steps} steps`);
      await db.deleteFrom("uploads").where("state", "=", "pending").execute();
    }
  });
}

Deno.test("a repeated registration opens no second session, and sets the cookie of the first again while it lasts", async () => {
  const register = (client: TestClient) =>
    client.send("POST", "/auth/register", newcomer("cookie@example.com"), keyed("cookie"));
  const first = await register(app.client("10.9.1.1"));
  const before = await countOf("sessions");
  const lost = app.client("10.9.1.1");
  const second = await register(lost);
  deepStrictEqual(second.headers.getSetCookie(), first.headers.getSetCookie());
  strictEqual(second.headers.get("Cache-Control"), "no-store");
  strictEqual((await lost.get("/api/profile")).status, 200);
  strictEqual((await register(lost)).status, 201, "also with the session that it opened");
  strictEqual(await countOf("sessions"), before);

  await lost.send("POST", "/auth/logout", {});
  const third = await register(app.client("10.9.1.1"));
  deepStrictEqual([third.status, third.headers.getSetCookie()], [201, []]);
  strictEqual((await register(app.client("10.9.1.2"))).status, 409, "another address has its own keys");
});

Deno.test("while a request runs, the same one gets 409 and another one gets 422", async () => {
  const { objects } = app.services;
  const { presignPut } = objects;
  const [isRunning, mayEnd] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  objects.presignPut = async (...args) => {
    isRunning.resolve();
    await mayEnd.promise;
    return await presignPut(...args);
  };
  const presign = async (filename: string) => {
    const response = await member.client.send("POST", "/api/upload/presign", { ...FILE, filename }, keyed("running"));
    return [response.status, (await response.json()).code];
  };
  try {
    const first = presign("a.txt");
    await isRunning.promise;
    deepStrictEqual(await presign("a.txt"), [409, "IDEMPOTENCY_IN_PROGRESS"]);
    deepStrictEqual(await presign("b.txt"), [422, "IDEMPOTENCY_KEY_REUSED"]);
    mayEnd.resolve();
    deepStrictEqual((await first)[0], 200);
  } finally {
    mayEnd.resolve();
    objects.presignPut = presignPut;
  }
});

Deno.test("keys belong to one user and one route", async () => {
  const stranger = await registerVerifiedUser(app, "stranger@example.com");
  const presign = (client: TestClient) => client.send("POST", "/api/upload/presign", FILE, keyed("shared"));
  const [mine, theirs] = [await presign(member.client), await presign(stranger.client)];
  deepStrictEqual([mine.status, theirs.status, isReplay(theirs)], [200, 200, false]);
  notStrictEqual((await mine.json()).id, (await theirs.json()).id);
  const invited = { name: "Guest", email: "shared@example.com" };
  strictEqual((await member.client.send("POST", "/api/users", invited, keyed("shared"))).status, 201);
  strictEqual((await app.client().send("POST", "/api/users", invited, keyed("shared"))).status, 401);
});

Deno.test("without a key, each request counts", async () => {
  const presign = () => member.client.send("POST", "/api/upload/presign", FILE);
  const [first, second] = [await presign(), await presign()];
  notStrictEqual((await first.json()).id, (await second.json()).id);
  strictEqual(isReplay(second), false);
});

Deno.test("a key has 1 to 255 visible ASCII characters, quoted or not", async () => {
  const presign = (key: string) => member.client.send("POST", "/api/upload/presign", FILE, keyed(key));
  const cases: [key: string, status: number, isReplay: boolean][] = [
    ["~", 200, false],
    ['"~"', 200, true],
    ["x".repeat(255), 200, false],
    [`"${"x".repeat(255)}"`, 200, true],
    ['a"b\\c', 200, false],
    ['"a\\"b\\\\c"', 200, true],
    ["", 400, false],
    ['""', 400, false],
    ['"', 400, false],
    ["x".repeat(256), 400, false],
    ["two words", 400, false],
    ['"two words"', 400, false],
    ['"open', 400, false],
    ['"a"b"', 400, false],
    ['"a"; p=1', 400, false],
    ["\u00e9", 400, false],
  ];
  for (const [key, status, replays] of cases) {
    const response = await presign(key);
    deepStrictEqual([response.status, isReplay(response)], [status, replays], key);
    if (status === 400) ok((await response.json()).details["Idempotency-Key"]);
  }
});

Deno.test("of the refusals, those that the same request could outlive are not kept", async () => {
  const invite = (client: TestClient, key: string, body: object) => client.send("POST", "/api/users", body, keyed(key));
  const guest = { name: "Guest", email: "refused@example.com" };

  const invalid = [await invite(member.client, "400", {}), await invite(member.client, "400", {})];
  deepStrictEqual(invalid.map((each) => [each.status, isReplay(each)]), [[400, false], [400, true]]);
  strictEqual(await invalid[1].text(), await invalid[0].text());
  strictEqual((await invite(member.client, "400", guest)).status, 422);

  const taken = { ...guest, email: member.email };
  const conflicts = [await invite(member.client, "409", taken), await invite(member.client, "409", taken)];
  deepStrictEqual(conflicts.map((each) => [each.status, isReplay(each)]), [[409, false], [409, true]]);

  const unverified = await registerUser(app, "unverified@example.com");
  strictEqual((await invite(unverified.client, "403", guest)).status, 403);
  await db.updateTable("users").set({ email_verified: true }).where("id", "=", unverified.id).execute();
  strictEqual((await invite(unverified.client, "403", guest)).status, 201);

  const stale = await registerVerifiedUser(app, "stale@example.com");
  const create = () =>
    stale.client.send("POST", "/api/tokens", { name: "x", scopes: ["users:read"] }, keyed("unproved"));
  app.advance(15 * MINUTE_SECONDS + 1);
  strictEqual((await create()).status, 403);
  await waitForDroppedClaims();
  await stale.client.send("POST", "/auth/reauthenticate", { password: PASSWORD });
  strictEqual((await create()).status, 201);

  const presign = (client: TestClient) => client.send("POST", "/api/upload/presign", FILE, keyed("503"));
  const { objects } = app.services;
  const presignPut = objects.presignPut;
  objects.presignPut = () => Promise.reject(new Error("out of order"));
  strictEqual((await presign(member.client)).status, 500);
  await waitForDroppedClaims();
  objects.presignPut = presignPut;
  strictEqual((await presign(member.client)).status, 200);
});

Deno.test("a request over the limit is not kept, and repetitions do not count", async () => {
  const register = (name: string) =>
    app.client("10.9.2.1").send("POST", "/auth/register", newcomer(`${name}@example.com`), keyed(name));
  for (let index = 0; index < 8; index++) strictEqual((await register(`limited-${index}`)).status, 201);
  strictEqual((await register("limited-8")).status, 429);
  const repeated = await register("limited-0");
  deepStrictEqual([repeated.status, repeated.headers.get("RateLimit")], [201, '"register";r=0;t=60']);
  app.advance(61);
  strictEqual((await register("limited-8")).status, 201);
});

Deno.test("with a key, invalid input counts too, so that a guest cannot fill the table", async () => {
  app.advance(61);
  const before = await countOf("submissions");
  const client = app.client("10.9.3.1");
  const register = async (key: string, email: string) =>
    (await client.send("POST", "/auth/register", newcomer(email), keyed(key))).status;
  const statuses: number[] = [];
  for (let i = 0; i < 20; i++) statuses.push(await register(`invalid-${i}`, "no address"));
  deepStrictEqual(statuses, [...Array(8).fill(400), ...Array(12).fill(429)]);
  await waitForDroppedClaims();
  strictEqual(await countOf("submissions"), before + 8);
  app.advance(61);
  strictEqual(await register("invalid-0", "no address"), 400);
  strictEqual(await register("invalid-0", "valid@example.com"), 422, "the key belongs to the first request");
  const repeated = await client.send("POST", "/auth/register", newcomer("no address"), keyed("invalid-0"));
  deepStrictEqual([isReplay(repeated), repeated.headers.get("RateLimit")], [true, '"register";r=8;t=60']);
});

Deno.test("a body that cannot be read uses up no key", async () => {
  const before = await countOf("submissions");
  const send = (contentType: string) =>
    member.client.request("/api/upload/presign", {
      method: "POST",
      body: JSON.stringify(FILE),
      headers: { "Content-Type": contentType, ...keyed("unread") },
    });
  strictEqual((await send("text/plain")).status, 415);
  strictEqual(await countOf("submissions"), before);
  strictEqual((await send("application/json")).status, 200);
});
