import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { DAY_SECONDS, HOUR_SECONDS, MINUTE_SECONDS, SECOND_MS, secondsAfter } from "../../lib/duration.ts";
import { reportUploads } from "../../lib/uploads/upload_report.ts";
import { openSharedTestApp, type TestApp } from "../support/app/test_app.ts";
import { statusOf } from "../support/processes/process_uploads.ts";
import {
  assertPrivateHeaders,
  assertReaders,
  openPrivateFile,
  PRIVATE_TEXT,
  readersOf,
} from "../support/uploads/private_file_cases.ts";
import {
  isStored,
  later,
  openUploader,
  setRowsSince,
  sweepAllUploads,
  sweepWholeStore,
} from "../support/uploads/upload_world.ts";
import { PRIVATE_BUCKET, startS3Server } from "../support/uploads/s3_server.ts";

const server = await startS3Server();
Deno.test.afterAll(() => server.stop());

const APPS: Record<string, TestApp> = {
  "one bucket": await openApp(server.env),
  "a private bucket": await openApp({ ...server.env, S3_PRIVATE_BUCKET: PRIVATE_BUCKET }),
};

async function openApp(env: Record<string, string>): Promise<TestApp> {
  const app = await openSharedTestApp(env);
  // The S3 server uses the real time.
  app.advance((Date.now() - app.services.now().getTime()) / SECOND_MS);
  strictEqual((await app.services.objects.probePrivate!()).result, "closed");
  return app;
}

for (const [where, app] of Object.entries(APPS)) {
  Deno.test(`in ${where}, only the owner and those with a link can read a private file, however they ask`, async () => {
    const file = await openPrivateFile(app);
    await assertReaders(app, file, await readersOf(app, file));
  });

  Deno.test(`in ${where}, the redirect fixes the type and the disposition, and reveals no link`, async () => {
    const { owner } = await openPrivateFile(app);
    const cases = [
      ["text/plain", "été & (1)+*'.txt", "%C3%A9t%C3%A9%20%26%20%281%29%2B%2A%27.txt", false],
      ["application/pdf", "a.pdf", "a.pdf", true],
    ] as const;
    for (const [contentType, filename, name, isShown] of cases) {
      const file = await openPrivateFile(app, owner, { filename, contentType });
      await setStored(app, file.id);
      const saved = `attachment; filename*=UTF-8''${name}`;
      const shown = isShown ? "inline" : saved;
      for (
        const [search, disposition] of [
          ["", shown],
          [await file.link(), shown],
          [await file.link({ download: true }), saved],
        ] as const
      ) {
        const response = await owner.client.get(pathOf(file) + search);
        assertPrivateHeaders(response, search);
        deepStrictEqual([response.status, await response.text()], [303, ""]);
        const location = new URL(response.headers.get("Location")!);
        const { privateBucket, bucket, endpoint } = app.services.config.s3!;
        strictEqual(location.origin + location.pathname, `${endpoint}/${privateBucket ?? bucket}/${file.key}`);
        strictEqual(location.searchParams.get("X-Amz-Expires"), "60");
        if (search !== "") ok(!location.href.includes(new URLSearchParams(search).get("link")!));
        const read = await fetch(location);
        const names = ["Content-Type", "Content-Disposition", "Cache-Control"];
        const [type, ...others] = names.map((name) => read.headers.get(name));
        deepStrictEqual([type!.split(";")[0], ...others], [contentType, disposition, "private, no-store"]);
        strictEqual(await read.text(), PRIVATE_TEXT);
      }
    }
  });

  Deno.test(`in ${where}, a revoked link ends within 60 seconds, and a deleted file at once`, async () => {
    const file = await openPrivateFile(app);
    const address = pathOf(file) + await file.link({ seconds: HOUR_SECONDS });
    const presignedBefore = async (seconds: number) => {
      app.advance(-seconds);
      const { headers } = await app.client().get(address);
      app.advance(seconds);
      return headers.get("Location")!;
    };
    const [old, recent] = [await presignedBefore(MINUTE_SECONDS + 1), await presignedBefore(MINUTE_SECONDS / 2)];
    strictEqual((await file.owner.client.request(`/api/uploads/${file.id}/links`, { method: "DELETE" })).status, 204);
    strictEqual((await app.client().get(address)).status, 404);
    deepStrictEqual([await statusOf(fetch(old)), await statusOf(fetch(recent))], [403, 200]);
    strictEqual((await file.owner.delete(file.id)).status, 204);
    strictEqual((await file.owner.client.get(pathOf(file))).status, 404);
    strictEqual(await statusOf(fetch(recent)), 404);
  });

  Deno.test(`in ${where}, the sweeps treat private files like public ones`, async () => {
    const { services } = app;
    const [user, gone] = [await openUploader(app), await openUploader(app)];
    const [kept, missing, unused] = [
      await user.store("kept", "private"),
      await user.store("missing", "private"),
      await user.presign({ visibility: "private" }),
    ];
    const orphan = `private/${user.id}/${crypto.randomUUID()}-orphan.txt`;
    await services.objects.put(orphan, new Uint8Array(1), "text/plain");
    await services.objects.delete(missing.key);
    await setRowsSince(services, secondsAfter(services.now(), -7 * DAY_SECONDS));
    const left = await gone.store("left", "private");
    await services.db.deleteFrom("users").where("id", "=", gone.id).execute();
    const { value } = await reportUploads(later(services, 3 * DAY_SECONDS));
    deepStrictEqual((value as Record<string, { keys: string[] }>).missing.keys, [missing.key]);
    await sweepAllUploads(later(services, 3 * DAY_SECONDS));
    await sweepWholeStore(later(services, 3 * DAY_SECONDS));
    const stored = await Promise.all([kept, left, { key: orphan }].map(({ key }) => isStored(services, key)));
    deepStrictEqual(stored, [true, false, false]);
    deepStrictEqual(
      (await user.list()).map(({ id, status }) => [id, status]),
      [[missing.id, "stored"], [kept.id, "stored"]],
      `without the unused ${unused.id}`,
    );
    await user.delete(missing.id);
  });
}

/** As the check of its content would. */
async function setStored({ services: { db } }: TestApp, id: string): Promise<void> {
  await db.updateTable("uploads").set({ state: "stored" }).where("id", "=", id).execute();
}

function pathOf({ publicUrl }: { publicUrl: string }): string {
  return new URL(publicUrl).pathname;
}
