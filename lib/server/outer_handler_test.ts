import { deepStrictEqual, partialDeepStrictEqual, strictEqual } from "node:assert/strict";
import { type Config, readSettings } from "../config/config.ts";
import type { Log } from "../log/log.ts";
import { createMetrics } from "../metrics/metrics.ts";
import type { Services } from "../services/services.ts";
import { currentClient } from "../turns/current_client.ts";
import { outerHandler } from "./outer_handler.ts";

const BASE_URL = "http://localhost:8000";
const INFO: Deno.ServeHandlerInfo = {
  remoteAddr: { transport: "tcp", hostname: "127.0.0.1", port: 1 },
  completed: Promise.resolve(),
};

function testServices(settings: Record<string, string> = {}, log: Log = () => {}): Services {
  const config: Config = {
    ...readSettings({ BASE_URL, DATA_DIR: "/nowhere", ...settings }),
    appSecret: "x".repeat(32),
  };
  return { config, log, metrics: createMetrics() } as unknown as Services;
}

Deno.test("each request is dispatched once, with an unknown method as OPTIONS", async () => {
  const cases: [method: string, dispatchedAs: string][] = [
    ["GET", "GET"],
    ["DELETE", "DELETE"],
    ["PROPFIND", "OPTIONS"],
  ];
  for (const [method, dispatchedAs] of cases) {
    const dispatched: string[] = [];
    const handler = outerHandler(testServices(), ({ method }) => {
      dispatched.push(method);
      return Promise.resolve(new Response(null, { status: 405, headers: { Allow: "POST, OPTIONS" } }));
    });
    const response = await handler(new Request(`${BASE_URL}/`, { method }), INFO);
    deepStrictEqual(dispatched, [dispatchedAs], method);
    strictEqual(response.status, 405, method);
    strictEqual(response.headers.get("Allow"), "POST, OPTIONS", method);
  }
});

Deno.test("an unknown method gets the response to OPTIONS if that has no Allow header", async () => {
  for (const status of [404, 503]) {
    const handler = outerHandler(testServices(), () => Promise.resolve(new Response(null, { status })));
    const response = await handler(new Request(`${BASE_URL}/`, { method: "PROPFIND" }), INFO);
    strictEqual(response.status, status);
    strictEqual(response.headers.has("Allow"), false);
  }
});

Deno.test("the log line of a refusal names the client that the trusted proxy saw", async () => {
  const logged: unknown[][] = [];
  const services = testServices({ TRUSTED_PROXIES: "1" }, (...line) => void logged.push(line));
  const handler = outerHandler(services, () => Promise.resolve(new Response(null, { status: 401 })));
  const headers = { "X-Forwarded-For": "198.51.100.1, 192.0.2.7" };
  await handler(new Request(`${BASE_URL}/auth/login`, { headers }), INFO);
  partialDeepStrictEqual(logged, [["warn", "request", { clientAddress: "192.0.2.7" }]]);
});

Deno.test("successful health checks are not logged, failed ones and all other requests are", async () => {
  const logged: unknown[] = [];
  const services = testServices({}, (_level, _message, fields) => void logged.push(fields?.path));
  const ask = async (path: string, status: number) => {
    const handler = outerHandler(services, () => Promise.resolve(new Response(null, { status })));
    await handler(new Request(`${BASE_URL}${path}`), INFO);
  };
  for (const path of ["/api/health", "/api/health/live", "/api/health/ready", "/api/health?x=1"]) await ask(path, 200);
  await ask("/api/health", 503);
  await ask("/api/health/ready", 503);
  await ask("/api/users", 200);
  deepStrictEqual(logged, ["/api/health", "/api/health/ready", "/api/users"]);
});

Deno.test("queues know for which client a request runs, but not for reads on PostgreSQL", async () => {
  const cases: [method: string, settings: Record<string, string>, known: string[]][] = [
    ["GET", {}, ["127.0.0.1"]],
    ["GET", { DATABASE_URL: "postgres://localhost/foyer" }, []],
    ["POST", { DATABASE_URL: "postgres://localhost/foyer" }, ["127.0.0.1"]],
    ["POST", { TRUSTED_PROXIES: "1" }, ["2001:db8:1::", "2001:db8:1:2::"]],
  ];
  for (const [method, settings, known] of cases) {
    const handler = outerHandler(testServices(settings), () => {
      deepStrictEqual(currentClient(), known);
      return Promise.resolve(new Response());
    });
    const headers = { "X-Forwarded-For": "2001:db8:1:2::3" };
    strictEqual((await handler(new Request(BASE_URL, { method, headers }), INFO)).status, 200);
  }
});
