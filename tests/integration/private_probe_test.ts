import { deepStrictEqual, doesNotMatch, match, strictEqual } from "node:assert/strict";
import { DAY_SECONDS, HOUR_SECONDS, MINUTE_SECONDS } from "../../lib/duration.ts";
import { createPrivateProbe } from "../../lib/jobs/store_checks.ts";
import { checkAll } from "../../lib/installation/checks.ts";
import { openTestApp, type TestApp } from "../support/app/test_app.ts";
import { startMemoryS3 } from "../support/uploads/memory_s3.ts";
import { later, openUploader, sweepWholeStore } from "../support/uploads/upload_world.ts";

const OPEN_TO_ALL = { open: [""] };

/** Runs the job, and returns the methods of its requests and what it logged. */
async function run(app: TestApp, probe: () => Promise<number>, requests: string[]) {
  const [before, logged] = [requests.length, app.logLines.length];
  strictEqual(await probe(), 0);
  const methods = requests.slice(before).map((request) => request.split(" ")[0]);
  return { methods, lines: app.logLines.slice(logged) };
}

/** The object itself at its two addresses, its deletion, and the search for those of killed processes. */
const ONE_PROBE = ["DELETE", "GET", "GET", "GET", "PUT"];

Deno.test("until a probe was refused, private uploads get 503 and public ones do not; then a day passes", async () => {
  await using s3 = startMemoryS3();
  await using app = await openTestApp(s3.env);
  const user = await openUploader(app);
  const body = { filename: "a.txt", contentType: "text/plain", size: 5, visibility: "private" };
  const refused = await user.client.send("POST", "/api/upload/presign", body);
  deepStrictEqual([refused.status, refused.headers.get("Retry-After")], [503, "60"]);
  const { code, message } = await refused.json();
  deepStrictEqual([code, message], ["UNAVAILABLE", "Private files cannot be stored at the moment"]);
  deepStrictEqual(await user.list(), [], "no space is reserved");
  await user.presign();
  const probe = createPrivateProbe(app.services);
  const first = await run(app, probe, s3.requests);
  deepStrictEqual([first.methods.sort(), first.lines], [ONE_PROBE, []]);
  const { publicUrl, key } = await user.presign({ visibility: "private" });
  strictEqual(publicUrl, `${app.services.config.baseUrl}/files/${key}`);
  app.advance(DAY_SECONDS - 1);
  deepStrictEqual((await run(app, probe, s3.requests)).methods, []);
  app.advance(1);
  strictEqual((await run(app, probe, s3.requests)).methods.length, ONE_PROBE.length);
});

Deno.test("a bucket that everyone can read is an error that names the settings, until it is fixed", async () => {
  const folders = { ...OPEN_TO_ALL };
  await using s3 = startMemoryS3(folders);
  await using app = await openTestApp(s3.env);
  const user = await openUploader(app);
  const probe = createPrivateProbe(app.services);
  for (let minutes = 0; minutes < 20; minutes += 10) {
    const { lines } = await run(app, probe, s3.requests);
    strictEqual(lines.length, 1);
    match(lines[0], /"level":"error".*anyone can read private files.*S3_PRIVATE_BUCKET/);
    match(lines[0], new RegExp(`"address":"${s3.env.S3_PUBLIC_URL}"`));
    const presigned = await user.client.send("POST", "/api/upload/presign", {
      filename: "a.txt",
      contentType: "text/plain",
      visibility: "private",
    });
    strictEqual(presigned.status, 503);
    app.advance(10 * MINUTE_SECONDS - 1);
    deepStrictEqual((await run(app, probe, s3.requests)).methods, []);
    app.advance(1);
  }
  const check = async () => (await checkAll(app.services, {})).find(({ part }) => part === "private files");
  const text = `anyone can read them at ${s3.env.S3_PUBLIC_URL}, so no more are stored`;
  deepStrictEqual(await check(), { part: "private files", isGood: false, text });
  folders.open = ["images/", "uploads/"];
  const { lines } = await run(app, probe, s3.requests);
  strictEqual(lines.length, 1);
  match(lines[0], /"level":"info".*can be stored again/);
  await user.presign({ visibility: "private" });
  strictEqual((await check())?.isGood, true);
});

Deno.test("a store that does not answer changes nothing, and is asked again a minute later", async () => {
  await using s3 = startMemoryS3();
  await using app = await openTestApp({ ...s3.env, S3_PUBLIC_URL: "http://127.0.0.1:1" });
  const user = await openUploader(app);
  const probe = createPrivateProbe(app.services);
  const { lines } = await run(app, probe, s3.requests);
  strictEqual(lines.length, 1);
  match(lines[0], /"level":"warn".*could not find out whether private files are readable: none are stored/);
  const refused = await user.client.send("POST", "/api/upload/presign", {
    filename: "a.txt",
    contentType: "text/plain",
    visibility: "private",
  });
  strictEqual(refused.status, 503);
  app.advance(MINUTE_SECONDS - 1);
  deepStrictEqual((await run(app, probe, s3.requests)).methods, []);
  app.advance(1);
  const again = await run(app, probe, s3.requests);
  deepStrictEqual([again.methods.length > 0, again.lines], [true, []], "the same is logged once");
  strictEqual((await Array.fromAsync(app.services.objects.list({ prefix: "private/" }))).length, 0);
});

Deno.test("once a probe was refused, an outage of the store does not stop uploads of private files", async () => {
  const outage = { status: 0 };
  await using s3 = startMemoryS3();
  await using front = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen() {} },
    () => new Response(null, { status: outage.status }),
  );
  await using app = await openTestApp({ ...s3.env, S3_PUBLIC_URL: `http://127.0.0.1:${front.addr.port}` });
  const user = await openUploader(app);
  for (const status of [403, 500, 501, 429]) {
    outage.status = status;
    const probe = await app.services.objects.probePrivate!();
    strictEqual(probe.result, status === 403 ? "closed" : "unknown", String(status));
    await user.presign({ visibility: "private" });
  }
});

Deno.test("only the content of the probe counts, at the address itself or behind a redirect", async () => {
  await using s3 = startMemoryS3();
  const leak = (path: string) => fetch(`${s3.env.S3_PUBLIC_URL}${path}`, { headers: { Authorization: "some" } });
  const answers: Record<string, (path: string) => Response | Promise<Response>> = {
    page: () => new Response("a page for everything"),
    longer: async (path) => new Response(await (await leak(path)).text() + "more"),
    leak,
    redirect: (path) => new Response(null, { status: 302, headers: { Location: `/leak${path}` } }),
  };
  let kind = "page";
  await using front = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, (req) => {
    const [, first, path] = new URL(req.url).pathname.match(/^(\/leak)?(.*)$/)!;
    return answers[first ? "leak" : kind](path);
  });
  await using app = await openTestApp({ ...s3.env, S3_PUBLIC_URL: `http://127.0.0.1:${front.addr.port}` });
  for (kind of Object.keys(answers)) {
    const expected = kind === "page" ? "closed" : "readable";
    strictEqual((await app.services.objects.probePrivate!()).result, expected, kind);
  }
});

Deno.test("with a private bucket, the probe is there, and is read at the endpoint", async () => {
  await using s3 = startMemoryS3(OPEN_TO_ALL);
  const env = { ...s3.env, S3_PUBLIC_URL: "http://127.0.0.1:1", S3_PRIVATE_BUCKET: "secrets" };
  await using app = await openTestApp(env);
  deepStrictEqual(await app.services.objects.probePrivate!(), {
    result: "readable",
    address: `${s3.env.S3_ENDPOINT}/secrets`,
  });
  deepStrictEqual(s3.requests.filter((request) => request.startsWith("GET private")).length, 1);
});

Deno.test("a probe that a killed process left is deleted an hour later, and no sweep takes it for a file", async () => {
  await using s3 = startMemoryS3();
  await using app = await openTestApp(s3.env);
  app.advance((Date.now() - app.services.now().getTime()) / 1000);
  const { objects, db } = app.services;
  const key = `private/probe-${crypto.randomUUID()}`;
  await objects.put(key, new Uint8Array(32), "application/octet-stream");
  await sweepWholeStore(later(app.services, 3 * DAY_SECONDS));
  deepStrictEqual(await db.selectFrom("uploads").select("id").execute(), []);
  await objects.probePrivate!();
  const keys = () => Array.fromAsync(objects.list(), ({ key }) => key);
  deepStrictEqual(await keys(), [key], "another instance may be reading it");
  app.advance(HOUR_SECONDS + 1);
  await objects.probePrivate!();
  deepStrictEqual(await keys(), []);
});

Deno.test("a folder has no probe", async () => {
  await using app = await openTestApp();
  strictEqual(app.services.objects.probePrivate, undefined);
  strictEqual(await createPrivateProbe(app.services)(), 0);
  doesNotMatch((await checkAll(app.services, {})).map(({ part }) => part).join(), /private/);
  await (await openUploader(app)).presign({ visibility: "private" });
});
