import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { checkAll } from "../../lib/installation/checks.ts";
import { checkStore } from "../../lib/jobs/store_checks.ts";
import { freePort } from "../support/processes/free_port.ts";
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

Deno.test("a bucket that fails is logged with its address and the innermost cause, without a stack", async () => {
  await using s3 = startMemoryS3();
  await using plain = Deno.serve({ port: 0, onListen() {} }, (req) => {
    return new Response(null, { status: new URL(req.url).pathname.includes("busy") ? 503 : 403 });
  });
  const { port } = plain.addr;
  const cases: [env: Record<string, string>, reason: RegExp][] = [
    [{ S3_ENDPOINT: `http://127.0.0.1:${freePort()}` }, /http:\/\/127\.0\.0\.1:\d+: .*Connection refused/],
    [
      { S3_ENDPOINT: `https://127.0.0.1:${port}` },
      /https:\/\/127\.0\.0\.1:\d+: .*(TLS|InvalidContentType|corrupt message)/,
    ],
    [{ S3_ENDPOINT: `http://127.0.0.1:${port}` }, /http:\/\/127\.0\.0\.1:\d+\/\S+ refused PUT .*: 403/],
    [{ S3_ENDPOINT: `http://127.0.0.1:${port}`, S3_BUCKET: "busy" }, /http:\/\/127\.0\.0\.1:\d+ responded with 503/],
  ];
  for (const [env, reason] of cases) {
    await using app = await openTestApp({ ...s3.env, ...env });
    await checkStore(app.services);
    const line = JSON.parse(app.logLines[0]);
    match(line.reason, reason);
    strictEqual(line.stack, undefined);
    const store = (await checkAll(app.services, {})).find(({ part }) => part === "store");
    strictEqual(store?.isGood, false);
    match(store.text, reason);
  }
});

Deno.test("a folder is not checked again", async () => {
  await using app = await openTestApp();
  const objects = { ...app.services.objects, put: () => Promise.reject(new Error("written")) };
  await checkStore({ ...app.services, objects });
  deepStrictEqual(app.logLines, []);
});
