import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import { DAY_SECONDS, SECOND_MS } from "../../lib/duration.ts";
import { createS3Store } from "../../lib/storage/s3/s3_store.ts";
import { sweepUploads } from "../../lib/uploads/due_uploads.ts";
import { startS3Server } from "../support/uploads/s3_server.ts";
import { openSharedTestApp } from "../support/app/test_app.ts";
import { UPLOAD_CASES } from "../support/uploads/upload_cases.ts";
import { isStored, later, openUploader, sweepAllUploads, sweepWholeStore } from "../support/uploads/upload_world.ts";

const server = await startS3Server();
Deno.test.afterAll(() => server.stop());
const app = await openSharedTestApp(server.env);
// The S3 server uses the real time.
app.advance((Date.now() - app.services.now().getTime()) / SECOND_MS);
await app.services.objects.probePrivate!();

Deno.test("while the bucket is missing, the sweeps keep every row and its size", async () => {
  const { services } = app;
  const user = await openUploader(app);
  const [unconfirmed, deleted] = [await user.presign(), await user.store()];
  strictEqual(await user.put(unconfirmed), 200);
  const s3 = { ...services.config.s3!, bucket: "none" };
  const objects = createS3Store({ ...s3, baseUrl: services.config.baseUrl, now: () => new Date() });
  await services.db.updateTable("uploads").set({
    state: "discarded",
    deleted_at: services.now(),
    check_at: services.now(),
  })
    .where("id", "=", deleted.id).execute();
  const rows = () => services.db.selectFrom("uploads").select(["id", "bytes", "state"]).orderBy("id").execute();
  const before = await rows();
  const misled = later({ ...services, objects }, 3 * DAY_SECONDS);
  await rejects(sweepUploads(misled), /no bucket none/);
  await rejects(sweepWholeStore(misled), /no bucket none/);
  deepStrictEqual((await rows()).map(({ id, bytes }) => [id, bytes]), before.map(({ id, bytes }) => [id, bytes]));
  await sweepAllUploads(later(services, 4 * DAY_SECONDS));
  deepStrictEqual((await user.list()).map(({ id, status }) => [id, status]), [[unconfirmed.id, "stored"]]);
  strictEqual(await isStored(services, deleted.key), false);
});

for (const [title, run] of Object.entries(UPLOAD_CASES)) Deno.test(`in a bucket, ${title}`, () => run(app));
