import pg from "pg";
import { PASSWORD } from "../support/app/accounts.ts";
import { hashToken } from "../../lib/crypto/token.ts";
import { type AppProcess, untilHealthy } from "../support/processes/app_process.ts";
import { delay } from "../support/delay.ts";
import { startDeliveryService } from "../support/mail/delivery_service.ts";
import { median } from "../support/median.ts";
import { quarters } from "../support/images/pictures.ts";
import { fileDescriptorsOf, memoryOf } from "../support/processes/process_probe.ts";
import { register } from "../support/processes/process_session.ts";
import { type Presigned, put } from "../support/processes/process_uploads.ts";
import { waitFor } from "../support/wait_for.ts";
import { type Rig, startFoyer } from "./rig.ts";
import { addExpiredSessions, fill, verifyEveryone } from "./seed.ts";
import type { Row } from "./table.ts";

const USERS = 1_000;
const KILL_EVERY_MS = 5_000;
const MINUTE_MS = 60_000;
const EXPIRED_AT_A_TIME = 500;
const MEGABYTE = 1_000_000;
/** Longer than the pauses between sweeps and between the attempts to deliver an email. */
const SETTLE_MS = 180_000;
const EMAIL = "soak@example.com";

/** What the traffic has done so far. */
interface Traffic {
  app: AppProcess;
  isOver: boolean;
  /** Durations by kind of request. */
  times: Map<string, number[]>;
  unavailable: number;
  /** Responses with other statuses than expected or 503, and requests without a response. */
  wrong: string[];
  /** The cookies, addresses, bios and files of acknowledged requests. */
  acknowledged: { cookies: string[]; emails: string[]; bio: number; files: string[] };
}

/**
 * Runs mixed traffic while PostgreSQL sessions are killed, after each of which the server restarts all of them. Counts
 * acknowledged requests whose effect is lost, and what has grown.
 */
export async function soak({ cluster, folder }: Rig, seconds: number): Promise<Row[]> {
  await using service = startDeliveryService();
  const env = {
    DATABASE_URL: cluster.url,
    EMAIL_API_URL: service.url,
    EMAIL_API_TOKEN: "soak",
    UPLOAD_QUOTA_BYTES: "0",
  };
  await using app = await startFoyer({ folder }, env);
  await fill(cluster.url, USERS);
  const member = await register(app, EMAIL);
  await verifyEveryone(cluster.url);
  const traffic: Traffic = {
    app,
    isOver: false,
    times: new Map(),
    unavailable: 0,
    wrong: [],
    acknowledged: { cookies: [], emails: [EMAIL], bio: 0, files: [] },
  };
  const picture = new Uint8Array(await quarters(undefined, 800, 600).png().toBuffer());
  const work = Promise.all([
    repeat(traffic, () => readList(traffic)),
    repeat(traffic, () => readProfile(traffic, member.cookie)),
    repeat(traffic, () => logIn(traffic)),
    repeat(traffic, () => registerUser(traffic)),
    repeat(traffic, () => writeBio(traffic, member.cookie)),
    repeat(traffic, () => send(traffic, "photo", () => member.uploadAvatar(picture, "image/png"))),
    repeat(traffic, () => uploadFile(traffic, member.cookie)),
  ]);
  const sizes = [];
  for (let elapsed = 0; elapsed < seconds * 1000; elapsed += KILL_EVERY_MS) {
    await delay(KILL_EVERY_MS);
    sizes.push({ memory: await memoryOf(app, "VmRSS"), files: await fileDescriptorsOf(app) });
    await whileAvailable(() => addExpiredSessions(cluster.url, EXPIRED_AT_A_TIME));
    await whileAvailable(() => killSession(cluster.url));
  }
  traffic.isOver = true;
  await work;
  await untilHealthy(app);
  const undelivered = () => {
    const addresses = new Set(service.received.map(({ body }) => body.to));
    return traffic.acknowledged.emails.filter((email) => !addresses.has(email)).length;
  };
  const expired = () => countRows(cluster.url, "sessions where expires_at <= now()");
  await settle("the emails", () => undelivered() === 0);
  await settle("the sweep", async () => await expired() === 0);
  const lost = await lostRequests(traffic, cluster.url, member.cookie);
  const [half, end] = [quarter(sizes, 1), quarter(sizes, 3)];
  report(traffic, sizes);
  const all = [...traffic.times.values()].flat();
  return [
    { what: "acknowledged requests lost", ours: [lost], unit: "", target: "<= 0" },
    { what: "emails of acknowledged requests lost", ours: [undelivered()], unit: "", target: "<= 0" },
    { what: "requests that failed without a 503", ours: [traffic.wrong.length], unit: "", target: "<= 0" },
    { what: "p99 of all requests", ours: [percentile(all, 99)], unit: "ms", target: "<= 3000" },
    { what: "expired sessions left", ours: [await expired()], unit: "", target: "<= 0" },
    {
      what: "memory growth from the second to the last quarter",
      ours: [(end.memory - half.memory) / MEGABYTE],
      unit: "MB",
      target: "<= 20",
    },
    { what: "growth of open files meanwhile", ours: [end.files - half.files], unit: "", target: "<= 10" },
  ];
}

async function repeat(traffic: Traffic, act: () => Promise<unknown>): Promise<void> {
  while (!traffic.isOver) await act();
}

/** Sends a request and notes its outcome. Returns the response if it succeeded, with its body as text. */
async function send(
  traffic: Traffic,
  kind: string,
  request: () => Promise<Response>,
): Promise<{ headers: Headers; text: string } | null> {
  const startedAt = performance.now();
  try {
    const response = await request();
    const text = await response.text();
    if (!traffic.times.has(kind)) traffic.times.set(kind, []);
    traffic.times.get(kind)!.push(performance.now() - startedAt);
    if (response.ok) return { headers: response.headers, text };
    if (response.status === 503) traffic.unavailable++;
    else traffic.wrong.push(`${kind}: ${response.status} ${text}`);
  } catch (error) {
    traffic.wrong.push(`${kind}: ${error}`);
  }
  return null;
}

function post(traffic: Traffic, kind: string, path: string, body: unknown, { method = "POST", cookie = "" } = {}) {
  const headers = { "Content-Type": "application/json", Cookie: cookie };
  return send(traffic, kind, () => fetch(traffic.app.url + path, { method, headers, body: JSON.stringify(body) }));
}

async function readList(traffic: Traffic): Promise<void> {
  const list = await send(traffic, "list", () => fetch(`${traffic.app.url}/api/users?limit=20`));
  if (list === null) return;
  const [{ id }] = JSON.parse(list.text).data;
  await send(traffic, "user", () => fetch(`${traffic.app.url}/api/users/${id}`));
}

async function readProfile(traffic: Traffic, cookie: string): Promise<void> {
  await send(traffic, "profile", () => fetch(`${traffic.app.url}/api/profile`, { headers: { Cookie: cookie } }));
}

async function logIn(traffic: Traffic): Promise<void> {
  const response = await post(traffic, "login", "/auth/login", { email: EMAIL, password: PASSWORD });
  if (response) traffic.acknowledged.cookies.push(response.headers.getSetCookie()[0].split(";")[0]);
}

/** Registering also queues an email. */
async function registerUser(traffic: Traffic): Promise<void> {
  const email = `${crypto.randomUUID()}@example.com`;
  const response = await post(traffic, "registration", "/auth/register", {
    name: "Someone",
    email,
    password: PASSWORD,
  });
  if (response) traffic.acknowledged.emails.push(email);
}

async function writeBio(traffic: Traffic, cookie: string): Promise<void> {
  const bio = traffic.acknowledged.bio + 1;
  const response = await post(traffic, "write", "/api/profile", { bio: String(bio) }, { method: "PUT", cookie });
  if (response) traffic.acknowledged.bio = bio;
}

async function uploadFile(traffic: Traffic, cookie: string): Promise<void> {
  const file = { filename: "video.mp4", contentType: "video/mp4" };
  const response = await post(traffic, "presign", "/api/upload/presign", file, { cookie });
  if (response === null) return;
  const upload: Presigned = JSON.parse(response.text);
  // The content of a file is its own URL.
  if (await send(traffic, "upload", () => put(upload, upload.publicUrl))) {
    traffic.acknowledged.files.push(upload.publicUrl);
  }
}

/** Kills a PostgreSQL process that serves the app. The server then ends all others too, and recovers. */
async function killSession(databaseUrl: string): Promise<void> {
  const [{ pid }] = await query(
    databaseUrl,
    "select pid from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid() limit 1",
  );
  Deno.kill(pid, "SIGKILL");
}

/** Counts acknowledged requests whose effect has been lost. */
async function lostRequests({ app, acknowledged }: Traffic, databaseUrl: string, cookie: string): Promise<number> {
  const { cookies, emails, bio, files } = acknowledged;
  const hashes = cookies.map((cookie) => hashToken(cookie.slice(cookie.indexOf("=") + 1)));
  const sessions = await countRows(databaseUrl, "sessions where id = any($1)", [hashes]);
  const users = await countRows(databaseUrl, "users where email = any($1)", [emails]);
  const profile = await (await fetch(`${app.url}/api/profile`, { headers: { Cookie: cookie } })).json();
  let missingFiles = 0;
  for (const url of files) if (await (await fetch(url)).text() !== url) missingFiles++;
  return cookies.length - sessions + emails.length - users + Math.max(0, bio - Number(profile.user.bio)) + missingFiles;
}

async function countRows(databaseUrl: string, from: string, values: unknown[] = []): Promise<number> {
  return (await query(databaseUrl, `select count(*)::int as count from ${from}`, values))[0].count;
}

async function query(connectionString: string, text: string, values: unknown[] = []) {
  const client = new pg.Client({ connectionString });
  client.on("error", () => {}); // it may be killed
  await client.connect();
  try {
    return (await client.query(text, values)).rows;
  } finally {
    await client.end();
  }
}

/** Repeats what a restart of the server has interrupted. */
async function whileAvailable(act: () => Promise<void>): Promise<void> {
  await waitFor("the database", () => act().then(() => true, () => false));
}

/** Waits until a condition is true, but not forever. */
async function settle(what: string, condition: () => boolean | Promise<boolean>): Promise<void> {
  await waitFor(what, condition, { timeoutMs: SETTLE_MS }).catch(() => {});
}

/** Prints the figures that have no target. */
function report({ times, unavailable, wrong }: Traffic, sizes: { memory: number }[]): void {
  const rows = [...times].map(([kind, durations]) =>
    `${kind}: ${durations.length} requests, p50 ${percentile(durations, 50).toFixed(1)} ms, ` +
    `p99 ${percentile(durations, 99).toFixed(1)} ms`
  );
  const eachMinute = sizes.filter((_, index) => (index + 1) % (MINUTE_MS / KILL_EVERY_MS) === 0);
  const memory = eachMinute.map((size) => Math.round(size.memory / MEGABYTE));
  rows.push(`${unavailable} responses with 503, ${sizes.length} kills`, `memory each minute: ${memory.join(", ")} MB`);
  console.error([...rows, ...wrong.slice(0, 10)].join("\n"));
}

/** Returns the medians of a quarter of the samples. */
function quarter(samples: { memory: number; files: number }[], number: number) {
  const [from, to] = [number, number + 1].map((each) => Math.floor(samples.length * each / 4));
  const chosen = samples.slice(from, to);
  return { memory: median(chosen.map(({ memory }) => memory)), files: median(chosen.map(({ files }) => files)) };
}

function percentile(values: number[], of: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * of / 100)];
}
