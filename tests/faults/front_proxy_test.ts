import { deepStrictEqual, match, ok } from "node:assert/strict";
import { buildApp, startApp } from "../support/processes/app_process.ts";
import { withFolder } from "../support/database/engines.ts";
import { fetchWith } from "../support/processes/fetch_with.ts";
import {
  type FrontProxy,
  originOf,
  type ProxyPorts,
  proxyPorts,
  startFrontProxy,
} from "../support/processes/front_proxy.ts";
import { register, type Session } from "../support/processes/process_session.ts";
import { presign, statusOf } from "../support/processes/process_uploads.ts";
import { waitFor } from "../support/wait_for.ts";

const KIBIBYTE = 1024;
const MEBIBYTE = 1024 * KIBIBYTE;
/** Extra time for a busy machine. */
const PATIENCE_MS = 15_000;
const LINGER_MAX_MS = 50_000;
const SECURITY_HEADERS = {
  "x-content-type-options": "nosniff",
  "x-xss-protection": "1; mode=block",
  "x-frame-options": "DENY",
  "referrer-policy": "strict-origin-when-cross-origin",
  "strict-transport-security": "max-age=31536000; includeSubDomains; preload",
};
await buildApp();

type Fetch = (path: string, init?: RequestInit) => Promise<Response>;

/** Calls the app through the proxy, from an address of this machine. */
function caller({ url, certificate }: FrontProxy, localAddress = "127.0.0.1"): { call: Fetch } & Disposable {
  const client = Deno.createHttpClient({ caCerts: [certificate], localAddress });
  return {
    call: (path, init) => fetchWith(client, url + path, { ...init, redirect: "manual" }),
    [Symbol.dispose]: () => client.close(),
  };
}

function json(body: unknown, headers?: HeadersInit): RequestInit {
  return { method: "POST", body: JSON.stringify(body), headers: { "Content-Type": "application/json", ...headers } };
}

/** Fails if a header is missing or was set twice. `fetch` joins repeated headers with a comma. */
async function assertAnswer(response: Promise<Response>, status: number, code?: string): Promise<void> {
  const { headers, ...answer } = await response.then(async (it) => ({
    headers: it.headers,
    status: it.status,
    text: await it.text(),
  }));
  const shown = Object.fromEntries(Object.keys(SECURITY_HEADERS).map((name) => [name, headers.get(name)]));
  deepStrictEqual({ status: answer.status, ...shown }, { status, ...SECURITY_HEADERS }, answer.text);
  ok(
    headers.get("content-security-policy")?.split("default-src").length === 2,
    "expected exactly one Content-Security-Policy",
  );
  ok(headers.has("x-request-id"));
  if (code === undefined) return;
  const { message, ...body } = JSON.parse(answer.text);
  deepStrictEqual(body, { code, error: message, details: body.details });
}

/** Sends a text to the proxy, then optionally a byte per second. Returns the response and when the connection ended. */
async function linger(
  { url, certificate }: FrontProxy,
  { text = "", isTls = true, isDripping = false }: { text?: string; isTls?: boolean; isDripping?: boolean },
): Promise<{ answer: string; ms: number }> {
  const port = Number(new URL(url).port);
  const connection = isTls
    ? await Deno.connectTls({ hostname: "localhost", port, caCerts: [certificate], alpnProtocols: ["http/1.1"] })
    : await Deno.connect({ port });
  const startedAt = performance.now();
  await connection.write(new TextEncoder().encode(text));
  const drip = () => void connection.write(new TextEncoder().encode("x")).catch(() => {});
  const timer = isDripping ? setInterval(drip, 1_000) : undefined;
  const reader = connection.readable.pipeThrough(new TextDecoderStream()).getReader();
  const patience = setTimeout(() => void reader.cancel().catch(() => {}), LINGER_MAX_MS);
  let answer = "";
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      answer += part.value;
      clearInterval(timer);
    }
  } catch {
    // A connection may also end with an error.
  }
  clearTimeout(patience);
  clearInterval(timer);
  return { answer, ms: performance.now() - startedAt };
}

async function assertCutOff(
  lingering: ReturnType<typeof linger>,
  { afterMs, answer }: { afterMs: number; answer: RegExp },
): Promise<void> {
  const { ms, answer: given } = await lingering;
  match(given, answer);
  ok(afterMs - 1_500 < ms && ms < afterMs + PATIENCE_MS, `cut off after ${ms} ms, not ${afterMs}: ${given}`);
}

/** The proxy ends slow and idle connections in time. */
async function assertTimeouts(proxy: FrontProxy): Promise<void> {
  const get = "GET /api/health HTTP/1.1\r\nHost: localhost\r\n";
  const post =
    "POST /auth/login HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n";
  await Promise.all([
    assertCutOff(linger(proxy, { isTls: false }), { afterMs: 10_000, answer: /^$/ }),
    assertCutOff(linger(proxy, {}), { afterMs: 10_000, answer: /^$/ }),
    assertCutOff(linger(proxy, { text: `${get}X-Slow: `, isDripping: true }), {
      afterMs: 10_000,
      answer: /^(HTTP\/1.1 408|$)/,
    }),
    assertCutOff(linger(proxy, { text: `${get}\r\n` }), { afterMs: 20_000, answer: /^HTTP\/1.1 200/ }),
    assertCutOff(linger(proxy, { text: post }), { afterMs: 10_000, answer: /^(HTTP\/1.1 408|$)/ }),
    // The proxy accepts a slow body until the app refuses it.
    assertCutOff(linger(proxy, { text: post, isDripping: true }), {
      afterMs: 30_000,
      answer: /^HTTP\/1.1 400[^]*took too long/,
    }),
  ]);
}

/** Responses of the app pass unchanged, and those of nginx itself have the same headers. */
async function assertAnswers(call: Fetch, proxy: FrontProxy, ports: ProxyPorts): Promise<void> {
  await assertAnswer(call("/login"), 200);
  const findLine = async () => (await proxy.log()).split("\n").find((it) => it.includes('"path":"/login"'));
  const line = await waitFor("the log line", findLine);
  match(line, /"protocol":"HTTP\/2.0","method":"GET","path":"\/login","status":200/);
  await assertAnswer(call("/api/users/nobody"), 404, "NOT_FOUND");
  await assertAnswer(call("/api/profile"), 401, "UNAUTHENTICATED");
  await assertAnswer(call("/verify-email?email=a@example.com&token=do-not-log-me"), 200);
  const plain = await fetch(`http://localhost:${ports.http}/login`, { redirect: "manual" });
  deepStrictEqual([plain.status, plain.headers.get("location")], [308, `${proxy.url}/login`]);
  await plain.body?.cancel();
}

/** The proxy itself refused a body that is too large: request ids of the app are UUIDs. */
async function assertRefused(answer: Promise<Response>): Promise<void> {
  await assertAnswer(answer.then((response) => response.clone()), 413, "PAYLOAD_TOO_LARGE");
  match((await answer).headers.get("x-request-id")!, /^[0-9a-f]{32}$/);
  await (await answer).body?.cancel();
}

/** The proxy accepts bodies up to the limits of the app, and no byte more. */
async function assertLimits(call: Fetch, session: Session): Promise<void> {
  const { pathname, search } = new URL((await presign(session)).presignedUrl);
  const video = (sizeBytes: number): RequestInit => ({
    method: "PUT",
    body: new Uint8Array(sizeBytes),
    headers: { "Content-Type": "video/mp4" },
  });
  const image = (sizeBytes: number): RequestInit => ({
    method: "POST",
    body: new Uint8Array(sizeBytes),
    headers: { "Content-Type": "multipart/form-data; boundary=x", "Cookie": session.cookie },
  });
  const user = (sizeBytes: number) => json({ name: "x".repeat(sizeBytes - '{"name":""}'.length) });
  await assertAnswer(call(pathname + search, video(25 * MEBIBYTE)), 200);
  await assertRefused(call(pathname + search, video(25 * MEBIBYTE + 1)));
  await assertAnswer(call("/api/upload/image", image(5184 * KIBIBYTE)), 400, "VALIDATION_FAILED");
  await assertRefused(call("/api/upload/image", image(5184 * KIBIBYTE + 1)));
  await assertAnswer(call("/auth/register", user(64 * KIBIBYTE)), 400, "VALIDATION_FAILED");
  await assertRefused(call("/auth/register", user(64 * KIBIBYTE + 1)));
}

/** Attempts are counted by the address that the proxy sees, whatever the client claims. */
async function assertAddresses(call: Fetch, proxy: FrontProxy): Promise<void> {
  const attempt = { email: "ada@example.com", password: "Wrong-horse-7" };
  const statuses: number[] = [];
  for (let i = 1; i <= 6; i++) {
    const spoofed = { "X-Forwarded-For": `198.51.100.${i}, 203.0.113.${i}` };
    statuses.push(await statusOf(call("/auth/login", json(attempt, spoofed))));
  }
  deepStrictEqual(statuses, [401, 401, 401, 401, 401, 429]);
  using other = caller(proxy, "127.0.0.2");
  await assertAnswer(other.call("/auth/login", json(attempt)), 401, "INVALID_CREDENTIALS");
}

Deno.test("the front proxy provides HTTP/2, timeouts, limits, one set of headers and the real client address", () =>
  withFolder(async (folder) => {
    const ports = proxyPorts();
    const env = { BASE_URL: originOf(ports), TRUSTED_PROXIES: "1" };
    await using app = await startApp({ dataDir: `${folder}/data`, env });
    await using proxy = await startFrontProxy(folder, ports, [app.url, app.url]);
    using client = caller(proxy);
    const session = await register(app, "ada@example.com");
    await Promise.all([
      assertTimeouts(proxy),
      assertAnswers(client.call, proxy, ports),
      assertLimits(client.call, session),
      assertAddresses(client.call, proxy),
    ]);
    app.kill("SIGKILL");
    await app.ended;
    for (const link of ["/verify-email?token=do-not-log-me", "/verify-email%3Ftoken=do-not-log-me"]) {
      await assertAnswer(client.call(link), 503, "UNAVAILABLE");
    }
    const log = await proxy.log();
    ok(log.includes("/verify-email") && !log.includes("do-not-log-me"));
  }));
