import { deepStrictEqual, rejects } from "node:assert/strict";
import { createS3Store } from "./s3_store.ts";

Deno.test("objects are sent one after another, and an error stops the rest", async () => {
  const events: string[] = [];
  await using server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, async (req) => {
    const key = new URL(req.url).pathname.split("/").at(-1);
    if (req.method === "GET") return new Response();
    events.push(`${req.method} ${key}`);
    await (await fetch(new URL("/later", req.url))).body?.cancel(); // the others would arrive before this request
    events.push(`${key} received`);
    return new Response(null, { status: key === "b" ? 403 : 200, headers: { ETag: '"e"' } });
  });
  const store = createS3Store({
    endpoint: `http://127.0.0.1:${server.addr.port}`,
    region: "eu-test-1",
    bucket: "uploads",
    accessKeyId: "test",
    secretAccessKey: "test",
    publicUrl: "https://files.test",
    baseUrl: "https://foyer.test",
    now: () => new Date(),
  });
  const objects = ["c", "b", "a"].map((key) => ({ key, bytes: new Uint8Array(9), contentType: "image/webp" }));
  await rejects(store.putAll(objects), /refused PUT b: 403/);
  deepStrictEqual(events, ["PUT c", "c received", "PUT b", "b received"]);
});
