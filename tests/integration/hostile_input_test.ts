import { match, ok, strictEqual } from "node:assert/strict";
import { logIn, registerVerifiedUser } from "../support/app/accounts.ts";
import { openSharedTestApp } from "../support/app/test_app.ts";

const app = await openSharedTestApp({ LOGIN_MAX_ATTEMPTS: "0" });
const { client } = await registerVerifiedUser(app, "someone@example.com");

const RESPONSE_MAX_BYTES = 8 * 1024;
/** How much longer a hostile request may take than an ordinary one to the same path, on a busy machine. */
const EXCESS_MAX_MILLISECONDS = 250;

/** Distinct names that fill `size` bytes of a query. */
const NAMES = (size: number) => Array.from({ length: size / 4 }, (_, index) => index.toString(36).padStart(3, "_"));

Deno.test("a query of unknown parameters costs no more than an ordinary one, and gets a small response", async () => {
  for (const size of [20, 32]) {
    const query = NAMES(size * 1024).join("&");
    const bare = await bestOf(3, () => client.get("/api/users?limit=0"));
    const hostile = await bestOf(3, () => client.get(`/api/users?${query}`));
    strictEqual(hostile.status, 400);
    ok(hostile.sizeBytes < RESPONSE_MAX_BYTES, `${hostile.sizeBytes} bytes`);
    ok(hostile.milliseconds < bare.milliseconds + EXCESS_MAX_MILLISECONDS, `${hostile.milliseconds} ms`);
  }
});

Deno.test("pages ignore unknown parameters", async () => {
  const pages = ["/", "/users", "/login", "/register", "/forgot-password", "/verify-email", "/reset-password"];
  for (const path of pages) {
    for (const query of ["utm_source=mail&utm_source=x", "limit=5", `<b>=%00`, NAMES(20 * 1024).join("&")]) {
      const { status } = await app.client().get(`${path}?${query}`);
      strictEqual(status, 200, `${path}?${query.slice(0, 50)}`);
    }
  }
});

Deno.test("bodies and forms with many or long names get a small response in time", async () => {
  const some = NAMES(28 * 1024);
  const long = "\u0001".repeat(10_000);
  const multipart = new FormData();
  multipart.append("\u0001".repeat(8_000), "1");
  multipart.append("\u0001".repeat(8_000), "2");
  const cases: [path: string, init: () => RequestInit, bare: () => RequestInit][] = [
    ["/auth/login", () => json(some.map((name) => [name, 1])), () => json([])],
    ["/api/profile", () => json([[long, 1], ["name", 1]], "PUT"), () => json([["name", 1]], "PUT")],
    [
      "/api/upload/image",
      () => ({ method: "POST", body: multipart }),
      () => ({ method: "POST", body: new FormData() }),
    ],
    ["/login", () => form(some.map((name) => [name, ""])), () => form([])],
    ["/login", () => form([["form_id", crypto.randomUUID()], ...some.map((name) => [name, ""])]), () => form([])],
  ];
  for (const [path, init, bare] of cases) {
    const expected = await bestOf(3, () => client.request(path, bare()));
    const hostile = await bestOf(3, () => client.request(path, init()));
    strictEqual(hostile.status, 400, path);
    ok(hostile.sizeBytes < expected.sizeBytes + RESPONSE_MAX_BYTES, `${path}: ${hostile.sizeBytes} bytes`);
    ok(hostile.milliseconds < expected.milliseconds + EXCESS_MAX_MILLISECONDS, `${path}: ${hostile.milliseconds} ms`);
  }
});

Deno.test("a password of combining marks costs no more than a wrong password", async () => {
  const login = (password: string) => () => logIn(app.client(), "someone@example.com", password);
  const wrong = await bestOf(3, login("Wrong-horse-77"));
  const hostile = await bestOf(3, login("\u0315\u0300".repeat(10_000)));
  strictEqual(hostile.status, 400);
  ok(hostile.milliseconds < wrong.milliseconds + EXCESS_MAX_MILLISECONDS, `${hostile.milliseconds} ms`);
});

Deno.test("a log line stays short, however long the URL is", async () => {
  const path = `/api/users?limit=${"1".repeat(10_000)}&${NAMES(10_000).join("&")}`;
  await client.get(path);
  const line = app.logLines.findLast((line) => line.includes("limit=1111"))!;
  match(line, /^\{.*\}\n?$/);
  ok(line.length < 3_000, `${line.length} characters`);
});

function json(entries: [string, unknown][], method = "POST"): RequestInit {
  const body = JSON.stringify(Object.fromEntries(entries));
  return { method, body, headers: { "Content-Type": "application/json" } };
}

function form(entries: string[][]): RequestInit {
  return { method: "POST", body: new URLSearchParams(entries) };
}

/** Measures the fastest of several requests, because the others may have had to wait. */
async function bestOf(runs: number, send: () => Promise<Response>) {
  let milliseconds = Infinity;
  let response!: Response;
  for (let run = 0; run < runs; run++) {
    const startedAt = performance.now();
    response = await send();
    milliseconds = Math.min(milliseconds, performance.now() - startedAt);
  }
  return { status: response.status, sizeBytes: (await response.bytes()).length, milliseconds };
}
