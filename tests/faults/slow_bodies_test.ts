import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { PASSWORD } from "../support/app/accounts.ts";
import { type AppProcess, buildApp, startApp } from "../support/processes/app_process.ts";
import { withFolder } from "../support/database/engines.ts";
import { quarters } from "../support/images/pictures.ts";
import { measureStrain } from "../support/processes/process_probe.ts";
import { register, type Session } from "../support/processes/process_session.ts";
import { presign, presignMany, put, statusOf, temporaryFiles } from "../support/processes/process_uploads.ts";
import { type SlowBody, type SlowRequest, startOfForm, startSlowBody } from "../support/processes/slow_bodies.ts";
import { waitFor } from "../support/wait_for.ts";

const MEBIBYTE = 1024 * 1024;
const GROWTH_MAX_BYTES = 300 * MEBIBYTE;
/** Generous, for a busy machine. */
const HEALTH_MEDIAN_MAX_MS = 250;
/** How many images of one person wait for space. The embedded database has one isolate. */
const WAITING_IMAGES = 20;
const FILE_FORM = "multipart/form-data; boundary=b";
const EMAIL = "slow@example.com";
await buildApp();

async function withApp(test: (app: AppProcess, session: Session, folder: string) => Promise<void>): Promise<void> {
  await withFolder(async (folder) => {
    // The slow bodies name their client address. The other requests have another one.
    await using app = await startApp({ dataDir: folder, env: { TRUSTED_PROXIES: "1" } });
    await test(app, await register(app, EMAIL), folder);
  });
}

interface Attack {
  app: AppProcess;
  session: Session;
  request: SlowRequest;
  /** Instead of `start`, the start of each request. */
  starts?: string[];
  count: number;
  /** At least this many must be refused. */
  refused: number;
}

/** Starts requests that never end, and runs `act` once enough of them have been refused. */
async function withSlowBodies(
  { app, session, request, starts, count, refused }: Attack,
  act: (refusals: string[]) => Promise<void>,
): Promise<void> {
  const bodies: SlowBody[] = [];
  const refusals: string[] = [];
  try {
    for (let number = 0; number < count; number++) {
      const body = await startSlowBody(app, session, { ...request, start: starts?.[number] ?? request.start });
      bodies.push(body);
      void body.response.then((response) => refusals.push(response));
    }
    await waitFor(`${refused} refusals`, () => refusals.length >= refused);
    await act(refusals);
  } finally {
    for (const body of bodies) body[Symbol.dispose]();
  }
}

function assertBusy(refusals: string[]): void {
  for (const refusal of refusals) {
    match(refusal, /^HTTP\/1.1 503 /);
    match(refusal, /\r\nretry-after: 5\r\n/i);
  }
}

function assertHealthy(healthMs: number[]): void {
  const median = healthMs[Math.floor(healthMs.length / 2)];
  ok(median < HEALTH_MEDIAN_MAX_MS, `health took ${median} ms`);
}

async function untilNoTemporaryFiles(folder: string): Promise<void> {
  await waitFor("the temporary files to be deleted", async () => (await temporaryFiles(folder)).length === 0);
}

const login = (session: Session) => statusOf(session.post("/auth/login", { email: EMAIL, password: PASSWORD }));

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
        withSlowBodies({ app, session, request, count: 60, refused: 0 }, async (refusals) => {
          deepStrictEqual(refusals, []);
          strictEqual(await login(session), 403, "the email is not confirmed yet");
        }),
    );
    ok(growthBytes < GROWTH_MAX_BYTES, `memory grew by ${Math.round(growthBytes / MEBIBYTE)} MiB`);
    assertHealthy(healthMs);
    await untilNoTemporaryFiles(folder);
    deepStrictEqual(await Array.fromAsync(Deno.readDir(`${folder}/objects`), ({ name }) => name), [".temporary"]);
  }));

Deno.test("slow images take at most the memory reserved for them, and those of one user three quarters of it", () =>
  withApp(async (app, session) => {
    const picture = new Uint8Array(await quarters().png().toBuffer());
    const other = await register(app, "other@example.com");
    const request = {
      start: "POST /api/upload/image",
      contentType: FILE_FORM,
      bodyBytes: 5 * MEBIBYTE,
      sent: startOfForm("b", MEBIBYTE),
    };
    const { growthBytes, healthMs } = await measureStrain(
      app,
      () =>
        withSlowBodies({ app, session, request, count: 60, refused: 60 - 25 - WAITING_IMAGES }, async (refusals) => {
          ok(refusals.length <= 60 - 23 - WAITING_IMAGES, `${refusals.length} of one user were refused`);
          assertBusy(refusals);
          strictEqual(await statusOf(other.uploadAvatar(picture, "image/png")), 200);
          const form = { ...request, start: "POST /profile", address: "192.0.2.2" };
          await withSlowBodies(
            { app, session: other, request: form, count: 60, refused: 60 - 9 - WAITING_IMAGES },
            async (refusals) => {
              assertBusy(refusals);
              strictEqual(await login(session), 403, "the email is not confirmed yet");
            },
          );
        }),
    );
    ok(growthBytes < GROWTH_MAX_BYTES, `memory grew by ${Math.round(growthBytes / MEBIBYTE)} MiB`);
    assertHealthy(healthMs);
    await waitFor(
      "a successful upload",
      async () => await statusOf(session.uploadAvatar(picture, "image/png")) === 200,
    );
  }));

Deno.test("slow JSON bodies and forms are limited, by address to half, and logins work again afterward", () =>
  withApp(async (app, session) => {
    const kinds = [["POST /auth/login", "application/json"], ["POST /login", "application/x-www-form-urlencoded"]];
    for (const [start, contentType] of kinds) {
      const request = { start, contentType, bodyBytes: 64 * 1024, sent: new Uint8Array(1_000) };
      await withSlowBodies({ app, session, request, count: 300, refused: 300 - 256 }, async (refusals) => {
        ok(refusals.length < 50, `${refusals.length} were refused`);
        assertBusy(refusals);
        strictEqual(await login(session), 403, "the email is not confirmed yet");
        const other = { ...request, address: "192.0.2.2" };
        await withSlowBodies({ app, session, request: other, count: 300, refused: 300 - 256 }, async (refusals) => {
          assertBusy(refusals);
          strictEqual(await login(session), 503);
          strictEqual(await statusOf(fetch(`${app.url}/api/health`)), 200);
        });
      });
      await waitFor("logins to work", async () => await login(session) === 403);
    }
  }));

Deno.test("one user can take at most half of the concurrent uploads to the disk", () =>
  withApp(async (app, session, folder) => {
    const starts = (await presignMany(session, 140, MEBIBYTE)).map((path) => `PUT ${path}`);
    const request = {
      start: "",
      contentType: "video/mp4",
      bodyBytes: MEBIBYTE,
      sent: new Uint8Array(1_000),
    };
    const other = await presign(await register(app, "other@example.com"));
    await withSlowBodies({ app, session, request, starts, count: 140, refused: 140 - 128 }, async (refusals) => {
      strictEqual(refusals.length, 140 - 128);
      assertBusy(refusals);
      await waitFor("128 temporary files", async () => (await temporaryFiles(folder)).length === 128);
      strictEqual(await statusOf(put(other, "video")), 200);
    });
    await untilNoTemporaryFiles(folder);
  }));

Deno.test("different spellings of a presigned path share one limit", () =>
  withApp(async (app, session, folder) => {
    const plain = (await presignMany(session, 140, MEBIBYTE)).map((path) => `PUT ${path}`);
    const encoded = plain.slice(100).map((start) => start.replace("uploads/0", "uploads/%30"));
    const request = { start: "", contentType: "video/mp4", bodyBytes: MEBIBYTE, sent: new Uint8Array(1_000) };
    await withSlowBodies({ app, session, request, starts: plain, count: 100, refused: 0 }, async () => {
      await waitFor("100 temporary files", async () => (await temporaryFiles(folder)).length >= 100);
      const elsewhere = { ...request, address: "192.0.2.2" };
      const streams = { app, session, request: elsewhere, starts: encoded, count: 40, refused: 40 - 28 };
      await withSlowBodies(streams, (refusals) => Promise.resolve(assertBusy(refusals)));
    });
  }));
