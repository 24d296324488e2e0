import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { registerUser } from "../support/app/accounts.ts";
import { openSharedTestApp, openTestInstanceWith } from "../support/app/test_app.ts";

const ALLOWED = "https://partner.example";
const app = await openSharedTestApp({ CORS_ORIGINS: `${ALLOWED} https://other.example` });

function corsHeaders({ headers }: Response) {
  return {
    origin: headers.get("Access-Control-Allow-Origin"),
    credentials: headers.get("Access-Control-Allow-Credentials"),
    exposed: headers.get("Access-Control-Expose-Headers"),
    vary: headers.get("Vary"),
  };
}

const GRANTED = {
  origin: ALLOWED,
  credentials: "true",
  exposed:
    "ETag, Idempotent-Replayed, Link, RateLimit, RateLimit-Policy, Retry-After, WWW-Authenticate, X-Foyer-User-Email, " +
    "X-Foyer-User-Email-Verified, X-Foyer-User-Groups, X-Foyer-User-Id, X-Foyer-User-Name, X-Foyer-User-Picture, " +
    "X-Foyer-User-Role, X-Foyer-User-Session, X-Request-Id",
  vary: "Origin",
};
const ALLOWED_HEADERS =
  "Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, baggage, sentry-trace, traceparent, " +
  "tracestate, X-Requested-With";
const NOT_GRANTED = { origin: null, credentials: null, exposed: null, vary: "Origin" };

Deno.test("only scripts of an allowed origin may read responses of the API, including errors", async () => {
  const { client } = await registerUser(app, "cors@example.com");
  const cases: [path: string, origin: string, status: number, expected: object][] = [
    ["/api/profile", ALLOWED, 200, GRANTED],
    ["/api/users?limit=0", ALLOWED, 400, GRANTED],
    ["/api/nothing", ALLOWED, 404, GRANTED],
    ["/auth/login", ALLOWED, 405, GRANTED],
    ["/api/profile", "https://evil.example", 200, NOT_GRANTED],
    ["/api/profile", "https://partner.example.evil.example", 200, NOT_GRANTED],
    ["/api/profile", "null", 200, NOT_GRANTED],
  ];
  for (const [path, origin, status, expected] of cases) {
    const response = await client.get(path, { Origin: origin });
    strictEqual(response.status, status, path);
    deepStrictEqual(corsHeaders(response), expected, `${origin} ${path}`);
  }
  deepStrictEqual(corsHeaders(await client.get("/api/profile")), NOT_GRANTED);
  strictEqual((await client.get("/login", { Origin: ALLOWED })).headers.get("Access-Control-Allow-Origin"), null);
});

Deno.test("only a preflight from an allowed origin is granted", async () => {
  const preflight = (origin: string, path = "/api/profile") =>
    app.client().request(path, {
      method: "OPTIONS",
      headers: {
        Origin: origin,
        "Access-Control-Request-Method": "PUT",
        "Access-Control-Request-Headers": "content-type",
      },
    });
  const response = await preflight(ALLOWED);
  strictEqual(response.status, 204);
  deepStrictEqual(corsHeaders(response), GRANTED);
  strictEqual(response.headers.get("Access-Control-Allow-Headers"), ALLOWED_HEADERS);
  strictEqual(response.headers.get("Access-Control-Allow-Methods"), "GET, HEAD, POST, PUT, PATCH, DELETE");
  deepStrictEqual(corsHeaders(await preflight("https://evil.example")), NOT_GRANTED);
  deepStrictEqual(corsHeaders(await preflight(ALLOWED, "/login")).origin, null);
});

Deno.test("only an allowed origin may send state-changing requests", async () => {
  const { client } = await registerUser(app, "writer@example.com");
  const write = (origin: string) => client.send("PUT", "/api/profile", { bio: origin }, { Origin: origin });
  strictEqual((await write(ALLOWED)).status, 200);
  const refused = await write("https://evil.example");
  strictEqual(refused.status, 403);
  deepStrictEqual(corsHeaders(refused), NOT_GRANTED);
});

Deno.test("without CORS_ORIGINS no response has CORS headers", async () => {
  await using closed = await openTestInstanceWith(app, { corsOrigins: [] });
  const response = await closed.client().get("/api/users", { Origin: ALLOWED });
  deepStrictEqual(corsHeaders(response), { origin: null, credentials: null, exposed: null, vary: null });
});
