import { rejects, strictEqual } from "node:assert/strict";
import { providerFetch } from "./provider_fetch.ts";

const MEBIBYTE = 1024 * 1024;
const fetch = providerFetch({ isProduction: false });

/** Runs `test` with a provider that gives every request the same response. */
async function withProvider(answer: () => Response, test: (url: string) => Promise<void>): Promise<void> {
  await using server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, answer);
  await test(`http://127.0.0.1:${server.addr.port}/`);
}

Deno.test("a response of one mebibyte is accepted, and a longer one is refused", async () => {
  for (const [sizeBytes, isRead] of [[0, true], [MEBIBYTE, true], [MEBIBYTE + 1, false]] as const) {
    await withProvider(() => new Response("x".repeat(sizeBytes)), async (url) => {
      if (isRead) strictEqual((await (await fetch(url, {})).text()).length, sizeBytes);
      else await rejects(fetch(url, {}), /too long/);
    });
  }
});

Deno.test("the signal stops reading an endless body", async () => {
  const endless = () => new ReadableStream({ start: (stream) => stream.enqueue(new Uint8Array(1)) });
  await withProvider(() => new Response(endless()), async (url) => {
    await rejects(fetch(url, { signal: AbortSignal.timeout(200) }), { name: "TimeoutError" });
  });
});

Deno.test("redirects are not followed", () =>
  withProvider(() => new Response(null, { status: 302, headers: { Location: "/elsewhere" } }), async (url) => {
    strictEqual((await fetch(url, {})).status, 302);
  }));

Deno.test("http is allowed only in development and on loopback", async () => {
  await rejects(fetch("http://id.example/", {}), /without https/);
  await rejects(providerFetch({ isProduction: true })("http://localhost/", {}), /without https/);
});
