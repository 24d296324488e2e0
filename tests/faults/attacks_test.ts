import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { connect } from "node:http2";
import { TOTP } from "otpauth";
import { PASSWORD } from "../support/app/accounts.ts";
import type { EngineForProcess } from "../support/database/engines.ts";
import { startCluster } from "../support/database/postgres_cluster.ts";
import { delay } from "../support/delay.ts";
import { buildApp } from "../support/processes/app_process.ts";
import {
  type AttackedApp,
  type Member,
  startAttackedApp,
  timeOf,
  timeOfReset,
  withstand,
} from "../support/processes/attacked_app.ts";
import { temporaryFiles } from "../support/processes/process_uploads.ts";
import { waitFor } from "../support/wait_for.ts";

const MEBIBYTE = 1024 * 1024;
const WRONG_TOKEN = "W".repeat(43);
const WRONG_PASSWORD = "Wrong-horse-77";
const QUOTA_BYTES = 4 * MEBIBYTE;
const LOGINS = 16;
/** The address of an attacker without a cookie jar. */
const ADDRESS = "203.0.113.1";

await buildApp();
const stack = new AsyncDisposableStack();
Deno.test.afterAll(() => stack.disposeAsync());
const cluster = stack.use(await startCluster());
const apps = [
  await startInFolder({ name: "embedded", env: {} }),
  await startInFolder({ name: "postgres", env: { DATABASE_URL: cluster.url } }),
];

async function startInFolder(engine: EngineForProcess): Promise<AttackedApp> {
  const dataDir = await Deno.makeTempDir({ prefix: "foyer-test-" });
  stack.defer(() => Deno.remove(dataDir, { recursive: true }));
  const env = {
    UPLOAD_QUOTA_BYTES: String(QUOTA_BYTES),
    IDP_AUTH_URL: "https://id.example/authorize",
    IDP_TOKEN_URL: "https://id.example/token",
    IDP_USERINFO_URL: "https://id.example/me",
    IDP_CLIENT_ID: "foyer",
  };
  return stack.use(await startAttackedApp(engine, { dataDir, env }));
}

function testOnEachApp(name: string, test: (app: AttackedApp) => Promise<void>): void {
  for (const app of apps) Deno.test(`${name} (${app.engine})`, () => test(app));
}

const statusOf = async (response: Promise<Response>) => (await response).status;

testOnEachApp("a flood of wrong tokens holds up no request for a reset", async (app) => {
  const attacker = app.client();
  const { email } = await app.register("forgetful");
  let sent = 0;
  const body = { email, token: WRONG_TOKEN, password: "Another-horse-8" };
  const send = () => statusOf(attacker.send("POST", ++sent % 2 ? "/auth/verify-email" : "/auth/reset-password", body));
  const statuses = await withstand(app, { concurrency: 64, send }, async () => {
    const client = app.client();
    const times: number[] = [];
    for (let i = 0; i < 7; i++) {
      times.push(await timeOf(app, () => client.send("POST", "/auth/forgot-password", { email }), 200));
    }
    return times;
  });
  const { 400: judged, 429: refused, ...others } = statuses;
  ok(judged <= 20 && refused > 100, Deno.inspect(statuses));
  deepStrictEqual(others, {});
});

testOnEachApp(
  "wrong passwords from the networks of a /48 are refused, and the owner is told once and can log in",
  async (app) => {
    const owner = await app.register("guessed");
    const login = (password: string) => ({ email: owner.email, password });
    const guesser = (network: number) => app.client(`2001:db8:1:${network.toString(16)}::1`);
    let network = 0;
    const send = async () => {
      if (network >= 300) await delay(10);
      if (network >= 300) return 0;
      return await statusOf(guesser(network++).send("POST", "/auth/login", login(WRONG_PASSWORD)));
    };
    const logIn = () => timeOf(app, () => owner.client.send("POST", "/auth/login", login(PASSWORD)), 200);
    const { 0: _idle, 401: judged, 429: refused, ...others } = await withstand(
      app,
      { concurrency: 50, send },
      async () => {
        const times = [await logIn()];
        if (network > 0) await waitFor("all guesses", () => network === 300);
        return times;
      },
    );
    deepStrictEqual([judged, refused, others], [20, 280, {}]);
    await waitFor("the alert", () => alertsTo(app, owner).length > 0);
    strictEqual(alertsTo(app, owner).length, 1);
  },
);

function alertsTo(app: AttackedApp, { email }: Member): string[] {
  return app.subjectsTo(email).filter((subject) => subject.startsWith("Wrong passwords"));
}

testOnEachApp("a member who asks for recovery codes over one HTTP/2 connection holds up no login", async (app) => {
  const greedy = await app.register("greedy");
  await enableTotp(greedy);
  const members = await Promise.all(Array.from({ length: LOGINS }, (_, i) => app.register(`member${i}`)));
  const session = connect(app.process.url);
  using _session = { [Symbol.dispose]: () => session.destroy() };
  const cookie = [...greedy.client.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  const send = () =>
    new Promise<number>((resolve, reject) => {
      const headers = { ":method": "POST", ":path": "/api/totp/recovery-codes", "x-forwarded-for": ADDRESS, cookie };
      const stream = session.request({ ...headers, "content-length": "0" });
      stream.end();
      stream.on("response", ({ ":status": status }) => stream.resume().on("end", () => resolve(status!)));
      stream.on("error", reject);
    });
  const statuses = await withstand(app, { concurrency: 180, send }, () =>
    Promise.all(members.map(({ email }) => {
      const client = app.client();
      return timeOf(app, () => client.send("POST", "/auth/login", { email, password: PASSWORD }), 200);
    })));
  const { 200: made = 0, 429: refused, 503: busy = 0, ...others } = statuses;
  ok(made >= 1 && made + busy <= 20 && refused > 100, Deno.inspect(statuses));
  deepStrictEqual(others, {});
});

async function enableTotp({ client }: Member): Promise<void> {
  const { secret } = await (await client.request("/api/totp", { method: "POST" })).json();
  const code = new TOTP({ secret }).generate();
  strictEqual(await statusOf(client.send("POST", "/api/totp/confirm", { code })), 200);
}

testOnEachApp("making and deleting API tokens delays no reset email of another person", async (app) => {
  const { client } = await app.register("tokens");
  const victims = await Promise.all(["hasty", "patient", "waiting"].map(app.register));
  const request = { name: "Script", scopes: ["profile:read"], expiresInDays: 30 };
  const send = async () => {
    const response = await client.send("POST", "/api/tokens", request);
    if (response.status !== 201) return response.status;
    const { data: { id } } = await response.json();
    return await statusOf(client.request(`/api/tokens/${id}`, { method: "DELETE" }));
  };
  const others = async () => {
    await delay(1_500); // lets alerts pile up
    return [await timeOfReset(app, victims.shift()!)];
  };
  const { 429: refused, ...statuses } = await withstand(app, { concurrency: 16, send }, others);
  ok(refused > 100 && (statuses[204] ?? 0) <= 10, Deno.inspect(statuses));
});

testOnEachApp("starting sign-ins with a long `next` stores nothing, and is refused", async (app) => {
  const send = () => {
    const next = `/${randomBytes(30_000).toString("hex")}`;
    const attacker = app.client(ADDRESS); // without the cookies of the other attempts
    return statusOf(attacker.get(`/auth/idp?next=${next}`, { "Sec-Fetch-Dest": "document" }));
  };
  const before = await storedBytes(app);
  const { email } = await app.register("unaffected");
  const statuses = await withstand(app, { concurrency: 32, send }, async () => {
    const client = app.client();
    const times: number[] = [];
    for (let i = 0; i < 3; i++) {
      times.push(await timeOf(app, () => client.send("POST", "/auth/login", { email, password: PASSWORD }), 200));
    }
    await delay(500);
    return times;
  });
  const { 302: started, 429: refused, ...others } = statuses;
  ok(started <= 60 && refused > 100, Deno.inspect(statuses));
  deepStrictEqual(others, {});
  const growth = await storedBytes(app) - before;
  ok(growth < MEBIBYTE, `${growth} bytes were stored`);
});

async function storedBytes({ engine, dataDir }: AttackedApp): Promise<number> {
  const { stdout } = await new Deno.Command("du", {
    args: ["--bytes", "--summarize", engine === "embedded" ? `${dataDir}/database/base` : `${cluster.folder}/base`],
  }).output();
  return parseInt(new TextDecoder().decode(stdout));
}

testOnEachApp("of 40 uploads to one presigned URL, the disk holds no more than the quota and one file", async (app) => {
  const { client } = await app.register("uploader");
  const size = 2 * MEBIBYTE;
  const request = { filename: "video.mp4", contentType: "video/mp4", size };
  const { presignedUrl } = await (await client.send("POST", "/api/upload/presign", request)).json();
  const ending = Promise.withResolvers<void>();
  const statuses: number[] = [];
  const uploads = Array.from({ length: 40 }, async () => {
    async function* body() {
      yield new Uint8Array(size - 1);
      await ending.promise;
      yield new Uint8Array(1);
    }
    const init = { method: "PUT", headers: { "Content-Type": "video/mp4" }, body: ReadableStream.from(body()) };
    statuses.push(await statusOf(whole(fetch(presignedUrl, init))));
  });
  await waitFor(
    "each upload to be refused or received",
    async () => statuses.length + (await stored(app)).filter((bytes) => bytes >= size - 1).length >= 40,
  );
  const heldBytes = (await stored(app)).reduce((sum, bytes) => sum + bytes, 0);
  ending.resolve();
  await Promise.all(uploads);
  ok(heldBytes <= QUOTA_BYTES + size, `the disk held ${heldBytes} bytes`);
  deepStrictEqual(statuses.toSorted(), [200, ...Array(39).fill(409)]);
});

async function stored({ dataDir }: AttackedApp): Promise<number[]> {
  return (await temporaryFiles(dataDir)).map(([, bytes]) => bytes);
}

async function whole(response: Promise<Response>): Promise<Response> {
  const { status, body } = await response;
  await body?.cancel();
  return new Response(null, { status });
}
