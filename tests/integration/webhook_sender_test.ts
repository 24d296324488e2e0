import { deepStrictEqual, ok, rejects, strictEqual } from "node:assert/strict";
import type { DeliveryFailure } from "../../lib/webhooks/tables.ts";
import type { WebhookSender } from "../../lib/services/services.ts";
import { createWebhookSender, type WebhookSenderOptions } from "../../lib/webhooks/sender.ts";
import { WebhookError } from "../../lib/webhooks/webhook_error.ts";
import { withFolder } from "../support/database/engines.ts";
import { createCertificate } from "../support/processes/certificate.ts";
import { waitFor } from "../support/wait_for.ts";
import { startReceiver } from "../support/webhooks/receiver.ts";

const MESSAGE = { headers: { "content-type": "application/json", "webhook-id": "1" }, body: '{"type":"webhook.test"}' };
const SHORT_MS = 1_000;

/** Creates a sender that may reach only the public Internet, unless the options say otherwise. */
function sender(options: Partial<WebhookSenderOptions> = {}): WebhookSender {
  return createWebhookSender({ allowsPrivate: false, ...options });
}

async function failureOf(sending: Promise<number>): Promise<[DeliveryFailure, status?: number]> {
  const error = await sending.then(() => new Error("It was accepted"), (error) => error);
  if (!(error instanceof WebhookError)) throw error;
  return error.status === undefined ? [error.failure] : [error.failure, error.status];
}

/** Serves raw connections. Counts them, and closes them at the end. */
function listen(serve: (connection: Deno.TcpConn) => Promise<void> | void) {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const connections: Deno.TcpConn[] = [];
  const accepting = (async () => {
    for await (const connection of listener) {
      connections.push(connection);
      void Promise.resolve(serve(connection)).catch(() => {});
    }
  })();
  return {
    port: listener.addr.port,
    connections,
    async [Symbol.asyncDispose]() {
      for (const connection of connections) connection.close();
      listener.close();
      await accepting.catch(() => {});
    },
  };
}

Deno.test("a name with an inside address is refused, and nothing is connected", async () => {
  await using inside = listen(() => {});
  const url = `https://hooks.example:${inside.port}/`;
  for (const addresses of [["127.0.0.1"], ["1.1.1.1", "127.0.0.1"], ["::1"], ["::ffff:127.0.0.1"], ["10.0.0.1"]]) {
    const { post } = sender({ resolve: () => Promise.resolve(addresses) });
    deepStrictEqual(await failureOf(post(url, MESSAGE)), ["address"], addresses.join());
  }
  for (const host of ["127.0.0.1", "2130706433", "0x7f.1", "[::1]", "[::ffff:7f00:1]", "localhost"]) {
    const [failure] = await failureOf(sender().post(`https://${host}:${inside.port}/`, MESSAGE));
    strictEqual(failure, "address", host);
  }
  strictEqual(inside.connections.length, 0);
});

Deno.test("a host that the operator names is reached inside, also by http, and no other", async () => {
  await using receiver = startReceiver();
  const { port } = new URL(receiver.url);
  const { post } = sender({ privateHosts: ["backend.internal"], resolve: () => Promise.resolve(["127.0.0.1"]) });
  await post(`http://backend.internal:${port}/`, MESSAGE);
  strictEqual(receiver.received.length, 1);
  deepStrictEqual(await failureOf(post(`https://a.backend.internal:${port}/`, MESSAGE)), ["address"]);
});

Deno.test("a name is resolved once, and its next address does not matter", async () => {
  await using first = startReceiver();
  const { port } = new URL(first.url);
  await using second = startReceiver({ hostname: "127.0.0.2", port: Number(port) });
  const answers = [["127.0.0.1"], ["127.0.0.2"]];
  let asked = 0;
  const { post } = sender({ allowsPrivate: true, resolve: () => Promise.resolve(answers[asked++]) });
  await post(`http://hooks.example:${port}/`, MESSAGE);
  deepStrictEqual([asked, first.received.length, second.received.length], [1, 1, 0]);
  strictEqual(first.received[0].headers.host, `hooks.example:${port}`);
  strictEqual(first.received[0].text, MESSAGE.body);
});

Deno.test("a name without an address is a failure of its own", async () => {
  deepStrictEqual(await failureOf(sender({ resolve: () => Promise.resolve([]) }).post("https://a.example/", MESSAGE)), [
    "name",
  ]);
  const broken = sender({ resolve: () => Promise.reject(new Error("no such host")) });
  deepStrictEqual(await failureOf(broken.post("https://a.example/", MESSAGE)), ["name"]);
});

Deno.test("http is refused where only the public Internet is allowed", async () => {
  await using receiver = startReceiver();
  const { post } = sender({ resolve: () => Promise.resolve(["1.1.1.1"]) });
  deepStrictEqual(await failureOf(post(receiver.url, MESSAGE)), ["address"]);
  strictEqual(receiver.received.length, 0);
});

Deno.test("the certificate must be valid for the name in the URL, although the connection goes to an address", () =>
  withFolder(async (folder) => {
    const paths = await createCertificate(folder, ["hooks.example"]);
    const [cert, key] = await Promise.all(paths.map((path) => Deno.readTextFile(path)));
    await using receiver = startReceiver({ tls: { cert, key } });
    const { port } = new URL(receiver.url);
    const resolve = () => Promise.resolve(["127.0.0.1"]);
    const trusting = sender({ allowsPrivate: true, resolve, ca: cert });
    await trusting.post(`https://hooks.example:${port}/`, MESSAGE);
    strictEqual(receiver.received.length, 1);
    deepStrictEqual(await failureOf(trusting.post(`https://other.example:${port}/`, MESSAGE)), ["certificate"]);
    const strict = sender({ allowsPrivate: true, resolve });
    deepStrictEqual(await failureOf(strict.post(`https://hooks.example:${port}/`, MESSAGE)), ["certificate"]);
    strictEqual(receiver.received.length, 1);
  }));

Deno.test("only a status from 200 to 299 is a success, and no redirect is followed", async () => {
  await using receiver = startReceiver();
  const { post } = sender({ allowsPrivate: true });
  for (const status of [200, 202, 204, 299]) {
    receiver.answer = () => new Response(null, { status });
    await post(receiver.url, MESSAGE);
  }
  receiver.received.length = 0;
  for (const status of [300, 301, 302, 307, 308, 400, 404, 410, 429, 500, 503]) {
    receiver.answer = () => new Response(null, { status, headers: { Location: "/elsewhere", "Retry-After": "7" } });
    deepStrictEqual(await failureOf(post(receiver.url, MESSAGE)), ["status", status]);
  }
  ok(receiver.received.every(({ path }) => path === "/"));
  strictEqual(receiver.received.length, 11, "each request is sent once");
  receiver.answer = () => new Response(null, { status: 410, headers: { "Retry-After": "7" } });
  await rejects(post(receiver.url, MESSAGE), { isFinal: true, isGone: true, retryAfterSeconds: 7 });
});

Deno.test("a receiver that sends its response a few bytes at a time is given up in time", async () => {
  const writeSlowly = async (connection: Deno.TcpConn) => {
    for (const byte of new TextEncoder().encode(`HTTP/1.1 200 OK\r\nX-Slow: ${"x".repeat(10_000)}`)) {
      await connection.write(Uint8Array.of(byte));
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  await using slow = listen(writeSlowly);
  await using silent = listen(() => {});
  const { post } = sender({ allowsPrivate: true, timeoutMs: SHORT_MS });
  for (const { port } of [slow, silent]) {
    const startedAt = performance.now();
    deepStrictEqual(await failureOf(post(`http://127.0.0.1:${port}/`, MESSAGE)), ["timeout"]);
    ok(performance.now() - startedAt < 10 * SHORT_MS);
  }
  const unresolved = sender({ resolve: () => new Promise(() => {}), timeoutMs: SHORT_MS });
  deepStrictEqual(await failureOf(unresolved.post("https://a.example/", MESSAGE)), ["timeout"]);
});

Deno.test("a body that never ends does not matter, and its connection is closed", async () => {
  const isClosed = Promise.withResolvers<void>();
  await using endless = listen(async (connection) => {
    await connection.write(new TextEncoder().encode("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\nx"));
    const buffer = new Uint8Array(4096);
    while (await connection.read(buffer).catch(() => null) !== null);
    isClosed.resolve();
  });
  await sender({ allowsPrivate: true }).post(`http://127.0.0.1:${endless.port}/`, MESSAGE);
  let closed = false;
  void isClosed.promise.then(() => closed = true);
  await waitFor("the end of the connection", () => closed);
});

Deno.test("a connection that is refused or breaks is a failure of its own", async () => {
  const { post } = sender({ allowsPrivate: true });
  deepStrictEqual(await failureOf(post("http://127.0.0.1:1/", MESSAGE)), ["connection"]);
  await using breaking = listen((connection) => connection.closeWrite());
  deepStrictEqual(await failureOf(post(`http://127.0.0.1:${breaking.port}/`, MESSAGE)), ["connection"]);
});
