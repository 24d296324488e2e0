import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import fc from "fast-check";
import { ERROR_STATUS, type ErrorCode } from "../../lib/errors/errors.ts";
import { registerVerifiedUser } from "../support/app/accounts.ts";
import { serveTestApp } from "../support/app/served_app.ts";
import { wildBytes, wildRequests } from "../support/random/wild_requests.ts";
import type { WildWorld } from "../support/random/wild_values.ts";
import { bytesOf, sendBytes, type WireRequest, type WireResponse } from "../support/random/wire.ts";

/** Runs per property. `FUZZ_RUNS=20000 deno task test integration --filter=any` searches longer. */
const RUNS = Number(Deno.env.get("FUZZ_RUNS") ?? 800);

/** No server listens here. */
const PROVIDER = "http://127.0.0.1:9";

const site = await serveTestApp(() => ({
  LOGIN_MAX_ATTEMPTS: "0",
  IDP_AUTH_URL: PROVIDER,
  IDP_TOKEN_URL: PROVIDER,
  IDP_USERINFO_URL: PROVIDER,
  IDP_CLIENT_ID: "foyer",
  IDP_PROVIDERS: "contoso",
  IDP_CONTOSO_ISSUER: PROVIDER,
  IDP_CONTOSO_CLIENT_ID: "foyer",
}));
Deno.test.afterAll(() => site[Symbol.asyncDispose]());
const { app } = site;
const port = Number(new URL(site.url).port);
const { client, id: userId, email } = await registerVerifiedUser(app, "wild@example.com");
const session = await app.services.db.selectFrom("sessions").selectAll().executeTakeFirstOrThrow();
const world: WildWorld = {
  host: `127.0.0.1:${port}`,
  session: client.cookies.get("auth_session")!,
  userId,
  email,
  ...await storeFile(),
};

/** Requests that once got a wrong response, or that this test once judged wrongly. */
const REQUESTS: WireRequest[] = [
  { method: "POST", target: "/auth/..", headers: [["Host", world.host]], body: "" }, // the path of the page "/"
  { method: "GET", target: "/auth/idp/", headers: [["Host", world.host]], body: "" }, // the same route as /auth/idp
];
const BYTES: string[] = [
  "X_Y /api/profile HTTP/1.1\r\nHost: [::1\r\nConnection: close\r\n\r\n", // once 500: an invalid method with an invalid Host
];

Deno.test("any request gets a well-formed response", async () => {
  await fc.assert(
    fc.asyncProperty(wildRequests(world), async (request) => {
      await restoreSession();
      const response = await sendBytes(port, bytesOf(request));
      try {
        assertWellFormed(request, response);
      } catch (cause) {
        const { status, headers, body } = response;
        throw new Error(`${status} ${JSON.stringify([...headers])} ${body.slice(0, 500)}`, { cause });
      }
    }),
    { numRuns: RUNS, examples: REQUESTS.map((request) => [request]) },
  );
});

Deno.test("any bytes are dropped or get a response other than a server error, and the service survives", async () => {
  await fc.assert(
    fc.asyncProperty(wildBytes(world), async (bytes) => {
      const { status, headers } = await sendBytes(port, bytes, { hangUp: true });
      ok(status < 500, `${status} ${headers.get("X-Request-Id")}`);
    }),
    { numRuns: RUNS, examples: BYTES.map((bytes) => [bytes]) },
  );
  strictEqual((await app.client().get("/api/health")).status, 200);
});

function assertWellFormed(request: WireRequest, { status, headers, body }: WireResponse): void {
  ok(status >= 200 && status < 500, String(status));
  match(headers.get("X-Request-Id") ?? "none", /^[0-9a-f-]{36}$/);
  for (const name of ["X-Content-Type-Options", "X-XSS-Protection", "X-Frame-Options", "Referrer-Policy"]) {
    ok(headers.has(name), `${name} is missing`);
  }
  match(headers.get("Strict-Transport-Security") ?? "none", /^max-age=31536000/);
  match(headers.get("Content-Security-Policy") ?? "none", /^default-src '(self|none)'/);
  const cookies = headers.getSetCookie();
  const isCacheable = headers.get("Cache-Control") !== "no-store";
  ok(
    !isCacheable || !cookies.some((cookie) => status === 200 || cookie.startsWith("auth_session")),
    "cookies in a cacheable response",
  );
  ok(cookies.every((cookie) => /; HttpOnly/.test(cookie)), cookies.join());
  strictEqual(status === 405, headers.has("Allow") && status !== 204, "Allow belongs to 405");
  if (request.method === "HEAD") return strictEqual(body, "");
  if (status === 416) return match(headers.get("Content-Range")!, /^bytes \*\/\d+$/);
  if (status >= 400) assertErrorBody(request, { status, headers, body });
}

function assertErrorBody(request: WireRequest, { status, headers, body }: Omit<WireResponse, "durationMs">): void {
  strictEqual(headers.get("Cache-Control"), "no-store");
  ok(!/file:\/\/|node_modules|at async/.test(body), body);
  if (headers.get("Content-Type") === "application/json") {
    const { message, code, error, details, ...rest } = JSON.parse(body);
    deepStrictEqual([error, rest, ERROR_STATUS[code as ErrorCode]], [message, {}, status]);
    ok(Object.values(details).flat().every((text) => typeof text === "string"));
  } else {
    strictEqual(headers.get("Content-Type"), "text/html; charset=utf-8");
    match(body, /^<!DOCTYPE html><html lang="en" dir="ltr">[\s\S]*<h1>[^<]+<\/h1>[\s\S]*<\/html>$/);
    const { target } = request;
    const { pathname } = new URL(target.startsWith("/") ? site.url + target : target);
    const isFromBrowser = request.headers.some(([name, value]) => name === "Accept" && value.includes("text/html"));
    ok(!pathname.startsWith("/api/") && (isFromBrowser || !pathname.startsWith("/auth/")), "programs get JSON");
  }
}

/** Restores the session: an earlier request may have ended it. */
async function restoreSession(): Promise<void> {
  await app.services.db.insertInto("sessions").values(session).onConflict((conflict) => conflict.doNothing()).execute();
}

async function storeFile(): Promise<{ filePath: string; presignedPath: string }> {
  const presign = async () => {
    const request = { filename: "a.png", contentType: "image/png" };
    return await (await client.send("POST", "/api/upload/presign", request)).json();
  };
  const { key } = await presign();
  await app.services.objects.put(key, new TextEncoder().encode("a stored file"), "image/png");
  const { pathname, search } = new URL((await presign()).presignedUrl);
  return { filePath: `/files/${key}`, presignedPath: pathname + search };
}
