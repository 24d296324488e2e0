import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { createApp } from "../../lib/web/app.ts";
import { outerHandler } from "../../lib/server/outer_handler.ts";
import { logIn, registerVerifiedUser } from "../support/app/accounts.ts";
import { readPage } from "../support/app/page_reader.ts";
import { withFailingDatabase } from "../support/database/failing_database.ts";
import { BASE_URL, openSharedTestApp, openTestApp } from "../support/app/test_app.ts";

const app = await openSharedTestApp({ API_ORIGIN: "https://api.example.com", CORS_ORIGINS: "https://partner.example" });
const { client } = await registerVerifiedUser(app, "http@example.com");

const SECURITY_HEADERS = {
  "content-security-policy":
    "default-src 'self'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data: https:; " +
    "font-src 'self'; connect-src 'self' https://api.example.com; frame-ancestors 'none'; base-uri 'self'; form-action 'self'",
  "x-content-type-options": "nosniff",
  "x-xss-protection": "1; mode=block",
  "x-frame-options": "DENY",
  "referrer-policy": "strict-origin-when-cross-origin",
  "strict-transport-security": "max-age=31536000; includeSubDomains; preload",
};

Deno.test("every response has the security headers and a request id", async () => {
  const { headers: { etag } } = await respond("/styles.css");
  const cases: [path: string, init: RequestInit, status: number][] = [
    ["/", {}, 200],
    ["/", { method: "HEAD" }, 200],
    ["/login", {}, 200],
    ["/styles.css", {}, 200],
    ["/styles.css", { headers: { "If-None-Match": etag! } }, 304],
    ["/api/health", {}, 200],
    ["/api/health", { method: "HEAD" }, 200],
    ["/api/health", { method: "OPTIONS" }, 204],
    ["/api/health", { method: "DELETE" }, 405],
    ["/api/nothing", {}, 404],
    ["/nothing", {}, 404],
    ["/nothing", { method: "POST" }, 404],
    ["/files/nothing", {}, 404],
    ["/api/profile", {}, 401],
    ["/auth/login", { method: "POST" }, 415],
    ["/auth/logout", { method: "POST", headers: { Origin: "https://evil.example" } }, 403],
    ["/%zz", {}, 400],
  ];
  for (const [path, init, status] of cases) {
    const response = await respond(path, init);
    const what = `${init.method ?? "GET"} ${path}`;
    strictEqual(response.status, status, what);
    for (const [name, value] of Object.entries(SECURITY_HEADERS)) strictEqual(response.headers[name], value, what);
    match(response.headers["x-request-id"]!, /^[0-9a-f-]{36}$/, what);
  }
});

Deno.test("an unknown path returns JSON to programs and a page to people", async () => {
  for (const path of ["/api", "/api/nothing", "/auth/nothing", "/api/users/x/y"]) {
    const response = await client.get(path);
    strictEqual(response.status, 404, path);
    strictEqual((await response.json()).code, "NOT_FOUND");
  }
  const response = await client.get("/nothing");
  match(response.headers.get("Content-Type")!, /^text\/html/);
  const page = await readPage(response);
  deepStrictEqual([page.language, page.heading], ["en", "Page not found"]);
});

Deno.test("an unsupported method gets 405 with the supported ones", async () => {
  const cases: [method: string, path: string, allow: string][] = [
    ["POST", "/api/health", "GET, HEAD, OPTIONS"],
    ["DELETE", "/api/profile", "GET, HEAD, PUT, OPTIONS"],
    ["GET", "/auth/login", "POST, OPTIONS"],
    ["HEAD", "/auth/login", "POST, OPTIONS"],
    ["PUT", "/login", "GET, HEAD, POST, OPTIONS"],
    ["PATCH", "/api/users", "GET, HEAD, POST, OPTIONS"],
    ["PROPFIND", "/api/users/x", "GET, HEAD, OPTIONS"],
    ["PROPFIND", "/profile", "GET, HEAD, POST, OPTIONS"],
    ["POST", "/styles.css", "GET, HEAD"],
    ["PROPFIND", "/styles.css", "GET, HEAD"],
  ];
  for (const [method, path, allow] of cases) {
    const response = await client.request(path, { method });
    strictEqual(response.status, 405, `${method} ${path}`);
    strictEqual(response.headers.get("Allow"), allow, `${method} ${path}`);
    if (path.startsWith("/api") && method !== "HEAD") strictEqual((await response.json()).code, "METHOD_NOT_ALLOWED");
  }
});

Deno.test("an unknown method gets 405 in development, where the outer handler is a middleware", async () => {
  const { services } = app;
  const inner = createApp(services, {
    outermost: [(ctx) => outerHandler(services, () => ctx.next())(ctx.req, ctx.info)],
  });
  const handler = inner.get("/here", () => new Response("here")).handler();
  const response = await handler(new Request(`${BASE_URL}/here`, { method: "PROPFIND" }));
  strictEqual(response.status, 405);
});

Deno.test("HEAD responds like GET, without a body", async () => {
  for (const path of ["/", "/login", "/api/users", "/api/profile", "/nowhere", "/styles.css", "/dashboard"]) {
    const [get, head] = [await client.get(path), await client.request(path, { method: "HEAD" })];
    strictEqual(head.status, get.status, path);
    for (const name of ["Content-Type", "Content-Length", "Cache-Control"]) {
      strictEqual(head.headers.get(name), get.headers.get(name), `${name} of ${path}`);
    }
    strictEqual(await head.text(), "");
  }
});

Deno.test("health reports the state of the service", async () => {
  const response = await client.get("/api/health");
  strictEqual(response.status, 200);
  strictEqual(response.headers.get("Cache-Control"), "no-store");
  const { timestamp, version, ...rest } = await response.json();
  deepStrictEqual(rest, { status: "ok", db: "connected" });
  strictEqual(new Date(timestamp).toISOString(), timestamp);
  match(version, /^\d+\.\d+\.\d+$/);
});

Deno.test("an untrusted proxy is logged once, and a trusted one never", async () => {
  const forwarded = { "X-Forwarded-For": "203.0.113.9" };
  for (const [trusted, warnings] of [["0", 1], ["1", 0]] as const) {
    await using other = await openTestApp({ TRUSTED_PROXIES: trusted });
    const count = () => other.logLines.filter((line) => /"level":"warn".*TRUSTED_PROXIES/.test(line)).length;
    await other.client().get("/api/health");
    strictEqual(count(), 0, trusted);
    for (let i = 0; i < 3; i++) await other.client().get("/api/health", forwarded);
    strictEqual(count(), warnings, trusted);
  }
});

Deno.test("state-changing requests from other origins are refused", async () => {
  const cases: [headers: Record<string, string>, isAllowed: boolean][] = [
    [{}, true],
    [{ Origin: BASE_URL }, true],
    [{ Origin: "https://partner.example" }, true],
    [{ "Sec-Fetch-Site": "same-origin" }, true],
    [{ "Sec-Fetch-Site": "none" }, true],
    [{ Origin: "https://evil.example" }, false],
    [{ Origin: "null" }, false],
    [{ Origin: "null", "Sec-Fetch-Site": "same-origin" }, true], // another Referrer-Policy of a proxy
    [{ Origin: "null", "Sec-Fetch-Site": "same-site" }, false],
    [{ Origin: "null", "Sec-Fetch-Site": "none" }, false],
    [{ Origin: `${BASE_URL}.evil.example` }, false],
    [{ Origin: BASE_URL.replace("http:", "https:") }, false],
    [{ Origin: "https://evil.example", "Sec-Fetch-Site": "none" }, false],
    [{ "Sec-Fetch-Site": "cross-site" }, false],
    [{ "Sec-Fetch-Site": "same-site" }, false],
  ];
  for (const [headers, isAllowed] of cases) {
    const response = await client.send("PUT", "/api/profile", { bio: "x" }, headers);
    strictEqual(response.status, isAllowed ? 200 : 403, JSON.stringify(headers));
    if (!isAllowed) strictEqual((await response.json()).code, "FORBIDDEN");
  }
  const form = { "Content-Type": "text/plain", Origin: "https://evil.example" };
  for (const path of ["/auth/login", "/login", "/api/upload/image"]) {
    strictEqual((await client.request(path, { method: "POST", headers: form, body: "{}" })).status, 403, path);
  }
});

Deno.test("in development, the other names of this machine with the same port are own origins", async () => {
  const { config } = app.services;
  const cases: [origin: string, isProduction: boolean, status: number][] = [
    ["http://localhost:8000", false, 200],
    ["http://127.0.0.1:8000", false, 200],
    ["http://[::1]:8000", false, 200],
    ["http://127.0.0.1:8001", false, 403],
    ["https://localhost:8000", false, 403],
    ["http://127.0.0.1:8000", true, 403],
  ];
  const before = { ...config };
  try {
    config.baseUrl = "http://localhost:8000";
    for (const [Origin, isProduction, status] of cases) {
      config.isProduction = isProduction;
      const response = await client.send("PUT", "/api/profile", { bio: "x" }, { Origin });
      strictEqual(response.status, status, `${Origin} ${isProduction}`);
    }
  } finally {
    Object.assign(config, before);
  }
});

Deno.test("responses that depend on tokens or sessions are not cached", async () => {
  const anonymous = app.client();
  const responses = [
    await anonymous.send("POST", "/auth/register", {
      name: "Ann",
      email: "ann@example.com",
      password: "Correct-horse-7",
    }),
    await anonymous.send("POST", "/auth/forgot-password", { email: "ann@example.com" }),
    await anonymous.send("POST", "/auth/reset-password", { email: "ann@example.com", token: "x", password: "x" }),
    await logIn(anonymous, "ann@example.com", "x"),
    await anonymous.get("/api/profile"),
    await app.client().get("/api/profile"),
    await app.client().submit("/register", { name: "Bob", email: "bob@example.com", password: "Correct-horse-7" }),
  ];
  deepStrictEqual(responses.map(({ headers }) => headers.get("Cache-Control")), Array(7).fill("no-store"));
});

Deno.test("stylesheets are cached for a year under their hashed URL, and revalidated otherwise", async () => {
  const address = (await readPage(client.get("/users"))).find('[href^="/site.css?"]').getAttribute("href")!;
  const hashed = await client.get(address);
  match(hashed.headers.get("Cache-Control")!, /max-age=31536000/);
  strictEqual(hashed.headers.get("Set-Cookie"), null);
  match(hashed.headers.get("Content-Type")!, /^text\/css/);
  match((await client.get("/site.css")).headers.get("Cache-Control")!, /^no-cache,.* max-age=0, must-revalidate$/);
});

Deno.test("log lines are JSON without the secrets of the query", async () => {
  app.logLines.length = 0;
  await client.get("/api/users?token=SECRET1&code=SECRET2&state=SECRET3&signature=SECRET4&limit=1");
  await client.get("/verify-email?email=SECRET6&X-Amz-Signature=SECRET7&X-Amz-Credential=SECRET8");
  await client.get("/nothing?x=a%0Ab%1b[31m");
  const stranger = app.client();
  await stranger.get((await stranger.get("/profile?token=SECRET5")).headers.get("Location")!);
  const lines = app.logLines.map((line) => JSON.parse(line));
  strictEqual(lines.length, 5);
  ok(!app.logLines.join().includes("SECRET"));
  ok(app.logLines.every((line) => !line.includes("\n") && !line.includes("\u001b")));
  strictEqual(lines[0].status, 400);
  ok(lines[0].path.endsWith("&limit=1"));
});

Deno.test("an unexpected error returns a fixed message and is logged with its cause", async () => {
  const failure = new Error("the secret inside", { cause: new Error("deeper inside") });
  await withFailingDatabase(app, failure, async () => {
    const response = await client.get("/api/users");
    strictEqual(response.status, 500);
    deepStrictEqual(await response.json(), {
      message: "Something went wrong on our side",
      error: "Something went wrong on our side",
      code: "INTERNAL",
      details: {},
    });
    const line = JSON.parse(app.logLines.findLast((text) => text.includes("request failed"))!);
    match(line.error, /the secret inside/);
    match(line.cause.error, /deeper inside/);
    strictEqual(line.requestId, response.headers.get("X-Request-Id"));
  });
});

async function respond(path: string, init?: RequestInit) {
  const response = await app.client().request(path, init);
  await response.body?.cancel();
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers) as Record<string, string | undefined>,
  };
}

Deno.test("Allow lists a method once, even if HEAD has its own handler", async () => {
  const response = await client.request("/auth/idp/callback", { method: "POST" });
  strictEqual(response.headers.get("Allow"), "GET, HEAD, OPTIONS");
});
