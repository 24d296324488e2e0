import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { PASSWORD } from "../support/app/accounts.ts";
import { type AppProcess, buildApp, startApp } from "../support/processes/app_process.ts";
import { withFolder } from "../support/database/engines.ts";
import { quarters } from "../support/images/pictures.ts";
import { coreWaitMsOf, fileDescriptorsOf, measureStrain } from "../support/processes/process_probe.ts";
import { register, type Session } from "../support/processes/process_session.ts";
import { presign, presignMany, put, statusOf, temporaryFiles } from "../support/processes/process_uploads.ts";
import { type SlowRequest, startOfForm, startSlowBody } from "../support/processes/slow_bodies.ts";
import { waitFor } from "../support/wait_for.ts";

const MEBIBYTE = 1024 * 1024;
const GROWTH_MAX_BYTES = 300 * MEBIBYTE;
/** Generous, for a busy machine. */
const HEALTH_MEDIAN_MAX_MS = 250;
/** How much longer a request of someone else may take meanwhile. */
const OTHERS_MAX_MS = 1_000;
const LOGINS = 10;
const FILE_FORM = "multipart/form-data; boundary=b";
const EMAIL = "slow@example.com";
const PICTURE = new Uint8Array(await quarters().png().toBuffer());
await buildApp();

async function withApp(test: (app: AppProcess, session: Session, folder: string) => Promise<void>): Promise<void> {
  await withFolder(async (folder) => {
    // The slow bodies name their client addresses. The other requests have another one.
    await using app = await startApp({ dataDir: folder, env: { TRUSTED_PROXIES: "1", LIMIT_LOGIN: "off" } });
    await test(app, await register(app, EMAIL), folder);
  });
}

/** Who sends a slow body, and to which URL if each has its own. */
interface Sender {
  session: Session;
  address?: string;
  start?: string;
}

interface Attack {
  app: AppProcess;
  /** They take turns. */
  senders: Sender[];
  request: Omit<SlowRequest, "start" | "address"> & { start?: string };
  count: number;
  /** At least this many must be refused. */
  refused: number;
}

/**
 * Starts requests that never end, and runs `meanwhile` once enough of them have been refused. On a busy machine, some
 * of the others are too late by then, which is no refusal.
 */
async function withSlowBodies(
  { app, senders, request, count, refused }: Attack,
  meanwhile: (refusals: string[]) => Promise<void>,
): Promise<void> {
  const refusals: string[] = [];
  let answered = 0;
  const descriptors = await fileDescriptorsOf(app);
  const start = async (_: unknown, number: number) => {
    const { session, address, start = request.start! } = senders[number % senders.length];
    const body = await startSlowBody(app, session, { ...request, start, address });
    void body.response.then((response) => {
      answered++;
      if (response.startsWith("HTTP/1.1 503 ")) refusals.push(response);
    });
    return body;
  };
  const bodies = await Promise.all(Array.from({ length: count }, start));
  try {
    const unanswered = () => descriptors + count - answered;
    await waitFor("all connections", async () => await fileDescriptorsOf(app) >= unanswered());
    await waitFor(`${refused} refusals`, () => refusals.length >= refused);
    await meanwhile(refusals);
  } finally {
    for (const body of bodies) body[Symbol.dispose]();
  }
}

function assertBusy(refusals: string[], { atMost = refusals.length } = {}): void {
  ok(refusals.length <= atMost, `${refusals.length} were refused`);
  for (const refusal of refusals) {
    match(refusal, /\r\nretry-after: 5\r\n/i);
  }
}

function assertHealthy(healthMs: number[]): void {
  const median = healthMs[Math.floor(healthMs.length / 2)];
  ok(median < HEALTH_MEDIAN_MAX_MS, `health took ${median} ms`);
}

function assertLittleGrowth(growthBytes: number): void {
  ok(growthBytes < GROWTH_MAX_BYTES, `memory grew by ${Math.round(growthBytes / MEBIBYTE)} MiB`);
}

/** Returns how long a response with this status took, without the time that the app and this test waited for a core. */
async function timeOf({ pid }: AppProcess, send: () => Promise<Response>, status: number): Promise<number> {
  const [startedAt, waitedMs] = [performance.now(), coreWaitMsOf(pid)];
  strictEqual(await statusOf(send()), status);
  return performance.now() - startedAt - (coreWaitMsOf(pid) - waitedMs);
}

async function untilNoTemporaryFiles(folder: string): Promise<void> {
  await waitFor("the temporary files to be deleted", async () => (await temporaryFiles(folder)).length === 0);
}

const logIn = (session: Session) => session.post("/auth/login", { email: EMAIL, password: PASSWORD });
const NOT_CONFIRMED = 403;

/** Logs in, uploads a photo and a file. Returns the longest time. */
async function act(app: AppProcess, session: Session): Promise<number> {
  const video = await presign(session);
  return Math.max(
    await timeOf(app, () => logIn(session), NOT_CONFIRMED),
    await timeOf(app, () => session.uploadAvatar(PICTURE, "image/png"), 200),
    await timeOf(app, () => put(video, "video"), 200),
  );
}

/** Returns a function that asserts that someone else is not held up, compared with now. */
async function someoneElse(app: AppProcess): Promise<() => Promise<void>> {
  const session = await register(app, "other@example.com");
  await act(app, session); // the first requests of their kind take longer
  const aloneMs = await act(app, session);
  return async () => {
    const attackedMs = await act(app, session);
    ok(attackedMs < aloneMs + OTHERS_MAX_MS, `${Math.round(aloneMs)} ms alone, ${Math.round(attackedMs)} ms attacked`);
  };
}

Deno.test("60 slow forms with a file take little memory and leave no files behind", () =>
  withApp(async (app, session, folder) => {
    const request = {
      start: "POST /uploads",
      contentType: FILE_FORM,
      bodyBytes: 25 * MEBIBYTE,
      sent: startOfForm("b", 8 * MEBIBYTE),
    };
    const { growthBytes, healthMs } = await measureStrain(
      app,
      () =>
        withSlowBodies({ app, senders: [{ session }], request, count: 60, refused: 0 }, async (refusals) => {
          deepStrictEqual(refusals, []);
          // Several: most health checks must come after the burst in which the first bytes of all forms arrive.
          for (let count = 0; count < LOGINS; count++) strictEqual(await statusOf(logIn(session)), NOT_CONFIRMED);
        }),
    );
    assertLittleGrowth(growthBytes);
    assertHealthy(healthMs);
    await untilNoTemporaryFiles(folder);
    deepStrictEqual(await Array.fromAsync(Deno.readDir(`${folder}/objects`), ({ name }) => name), [".temporary"]);
  }));

Deno.test("48 images of two accounts without a body take nothing from others", () =>
  withApp(async (app, session) => {
    const request = {
      start: "POST /api/upload/image",
      contentType: FILE_FORM,
      bodyBytes: 5 * MEBIBYTE + 64 * 1024,
      sent: new Uint8Array(),
    };
    const senders = [{ session }, { session: await register(app, "second@example.com"), address: "192.0.2.2" }];
    const actOfOther = await someoneElse(app);
    await withSlowBodies({ app, senders, request, count: 48, refused: 0 }, async (refusals) => {
      await actOfOther();
      deepStrictEqual(refusals, []);
    });
  }));

Deno.test("slow images take at most three quarters of their space, and the slowest end", () =>
  withApp(async (app, session) => {
    const request = {
      contentType: FILE_FORM,
      bodyBytes: 5 * MEBIBYTE,
      sent: startOfForm("b", 4 * MEBIBYTE),
    };
    const senders = [
      { session, start: "POST /api/upload/image" },
      { session: await register(app, "second@example.com"), address: "192.0.2.2", start: "POST /profile" },
    ];
    const actOfOther = await someoneElse(app);
    const { growthBytes, healthMs } = await measureStrain(
      app,
      () =>
        withSlowBodies({ app, senders, request, count: 60, refused: 60 - 30 }, async (refusals) => {
          await actOfOther();
          assertBusy(refusals, { atMost: 60 - 28 });
        }),
    );
    assertLittleGrowth(growthBytes);
    assertHealthy(healthMs);
    await actOfOther();
  }));

const TEXTS = [["POST /auth/login", "application/json"], ["POST /login", "application/x-www-form-urlencoded"]];

Deno.test("520 JSON bodies or forms that stop after one byte, from two addresses, take nothing from others", () =>
  withApp(async (app, session) => {
    const senders = [{ session }, { session, address: "192.0.2.2" }];
    const actOfOther = await someoneElse(app);
    for (const [start, contentType] of TEXTS) {
      const request = { start, contentType, bodyBytes: 64 * 1024, sent: new Uint8Array(1) };
      await withSlowBodies({ app, senders, request, count: 520, refused: 0 }, async (refusals) => {
        await actOfOther();
        deepStrictEqual(refusals, []);
      });
    }
  }));

Deno.test("slow JSON bodies and forms take at most three quarters of the memory, and the slowest end", () =>
  withApp(async (app, session) => {
    const senders = [{ session }, { session, address: "192.0.2.2" }];
    const actOfOther = await someoneElse(app);
    for (const [start, contentType] of TEXTS) {
      const request = { start, contentType, bodyBytes: 64 * 1024, sent: new Uint8Array(56 * 1024) };
      await withSlowBodies({ app, senders, request, count: 400, refused: 400 - 279 }, async (refusals) => {
        await actOfOther();
        assertBusy(refusals, { atMost: 400 - 275 });
      });
      await actOfOther();
    }
  }));

const VIDEO = { contentType: "video/mp4", bodyBytes: MEBIBYTE, sent: new Uint8Array(1_000) };

Deno.test("300 slow uploads of three users to the disk leave a quarter of the places to others", () =>
  withApp(async (app, session, folder) => {
    const sessions = [session, await register(app, "second@example.com"), await register(app, "third@example.com")];
    const paths = await Promise.all(sessions.map((each) => presignMany(each, 100, MEBIBYTE)));
    const senders = paths.flatMap((each, index) =>
      each.map((path) => ({ session, address: `192.0.2.${index}`, start: `PUT ${path}` }))
    );
    const actOfOther = await someoneElse(app);
    await withSlowBodies({ app, senders, request: VIDEO, count: 300, refused: 300 - 192 }, async (refusals) => {
      await actOfOther();
      assertBusy(refusals, { atMost: 300 - 192 });
      await waitFor("192 temporary files", async () => (await temporaryFiles(folder)).length === 192);
    });
    await untilNoTemporaryFiles(folder);
  }));

Deno.test("uploads of one user count together from all addresses, however their paths are spelled", () =>
  withApp(async (app, session, folder) => {
    const paths = await presignMany(session, 200, MEBIBYTE);
    const senders = paths.map((path, index) => ({
      session,
      address: `192.0.2.${index}`,
      start: `PUT ${index % 2 ? path : path.replace("uploads/0", "uploads/%30")}`,
    }));
    await withSlowBodies({ app, senders, request: VIDEO, count: 200, refused: 200 - 192 }, async (refusals) => {
      await waitFor("192 temporary files", async () => (await temporaryFiles(folder)).length === 192);
      assertBusy(refusals, { atMost: 200 - 192 });
    });
  }));
