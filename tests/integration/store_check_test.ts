import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { checkStore } from "../../lib/jobs/store_check.ts";
import { startMemoryS3 } from "../support/uploads/memory_s3.ts";
import { openTestApp } from "../support/app/test_app.ts";

Deno.test("a start writes to the bucket and deletes what it wrote, without a word", async () => {
  await using s3 = startMemoryS3();
  await using app = await openTestApp(s3.env);
  await checkStore(app.services);
  deepStrictEqual(s3.requests.map((request) => request.split(" ")[0]), ["PUT", "DELETE"]);
  deepStrictEqual(app.logLines, []);
});

Deno.test("a bucket that cannot be reached or written to is an error that names the settings", async () => {
  await using refusing = Deno.serve({ port: 0, onListen() {} }, () => new Response(null, { status: 403 }));
  await using s3 = startMemoryS3();
  for (const port of [refusing.addr.port, 1]) {
    await using app = await openTestApp({ ...s3.env, S3_ENDPOINT: `http://127.0.0.1:${port}` });
    await checkStore(app.services);
    strictEqual(app.logLines.length, 1);
    match(app.logLines[0], /"level":"error".*S3_ENDPOINT.*S3_SECRET_ACCESS_KEY/);
  }
});

Deno.test("a folder is not checked again", async () => {
  await using app = await openTestApp();
  const objects = { ...app.services.objects, put: () => Promise.reject(new Error("written")) };
  await checkStore({ ...app.services, objects });
  deepStrictEqual(app.logLines, []);
});
