import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { registerVerifiedUser } from "../support/app/accounts.ts";
import { connect, openAuthorizationApp, postForm } from "../support/app/authorization.ts";
import type { TestClient } from "../support/app/test_client.ts";

/** The origin of the public apps, by their redirect URI. */
const OWN = "https://app.example";
const PARTNER = "https://partner.example";
const PRODUCT = "https://product.example";
const app = await openAuthorizationApp({ CORS_ORIGINS: PARTNER, TOKEN_AUDIENCES: PRODUCT });
// Another app, whose pages have another origin.
const { clients } = app.services.config.registrations!;
const OTHER = "https://other.example";
(clients as Map<string, unknown>).set("other", { ...clients.get("phone")!, id: "other", origins: [OTHER] });

const ALLOWED_HEADERS = "Authorization, Content-Type, baggage, sentry-trace, traceparent, tracestate, X-Requested-With";

function allowed({ headers }: Response) {
  return [headers.get("Access-Control-Allow-Origin"), headers.get("Access-Control-Allow-Credentials")];
}

function preflight(path: string, origin: string, method = "POST", client: TestClient = app.client()) {
  const headers = { Origin: origin, "Access-Control-Request-Method": method };
  return client.request(path, { method: "OPTIONS", headers });
}

Deno.test("a preflight is granted to the origins of any app, without credentials", async () => {
  const methods = { "/oauth/token": "POST", "/oauth/revoke": "POST", "/oauth/userinfo": "GET, HEAD, POST" };
  for (const [path, expected] of Object.entries(methods)) {
    for (const origin of [OWN, OTHER]) {
      const response = await preflight(path, origin);
      strictEqual(response.status, 204);
      deepStrictEqual(allowed(response), [origin, null]);
      strictEqual(response.headers.get("Access-Control-Allow-Methods"), expected);
      strictEqual(response.headers.get("Access-Control-Allow-Headers"), ALLOWED_HEADERS);
      strictEqual(response.headers.get("Vary"), "Origin");
    }
    for (const origin of [PARTNER, PRODUCT, "null", "https://evil.example", `${OWN}.evil.example`, `${OWN}/`]) {
      const response = await preflight(path, origin);
      deepStrictEqual(allowed(response), [null, null], origin);
      strictEqual(response.headers.get("Access-Control-Allow-Methods"), null);
    }
  }
});

Deno.test("nothing else below /oauth allows another origin", async () => {
  for (
    const path of [
      "/oauth/introspect",
      "/oauth/device_authorization",
      "/device",
      "/oauth/authorize",
      "/oauth/logout",
      "/oauth/token/",
      "/oauth",
    ]
  ) {
    for (const origin of [OWN, PARTNER, PRODUCT]) {
      deepStrictEqual(allowed(await preflight(path, origin)), [null, null], path);
      deepStrictEqual(allowed(await app.client().get(path, { Origin: origin })), [null, null], path);
    }
  }
});

Deno.test("the response to an app is for its own origins only", async () => {
  const { client: person } = await registerVerifiedUser(app, "ada@example.com");
  const { access_token: token, refresh_token } = await connect(app, person, "phone", {
    scopes: ["openid", "offline_access"],
  });
  const refreshed = (origin: string) =>
    postForm(app, "/oauth/token", { client_id: "phone", grant_type: "refresh_token", refresh_token }, {
      Origin: origin,
    });
  const read = (origin: string) =>
    app.client().get("/oauth/userinfo", { Origin: origin, Authorization: `Bearer ${token}` });
  for (const send of [refreshed, read]) {
    const own = await send(OWN);
    strictEqual(own.status, 200);
    deepStrictEqual(allowed(own), [OWN, null]);
    for (const origin of [OTHER, PARTNER, "null"]) {
      const response = await send(origin);
      strictEqual(response.status, 200);
      deepStrictEqual(allowed(response), [null, null], origin);
      strictEqual(response.headers.get("Vary"), "Origin");
    }
  }
  const revoke = (origin: string) =>
    postForm(app, "/oauth/revoke", { client_id: "phone", token: "x" }, { Origin: origin });
  deepStrictEqual(allowed(await revoke(OWN)), [OWN, null]);
  deepStrictEqual(allowed(await revoke(OTHER)), [null, null]);
});

Deno.test("scripts of an app can read errors too, and why they have to wait", async () => {
  const response = await postForm(app, "/oauth/token", { client_id: "phone", grant_type: "x" }, { Origin: OWN });
  strictEqual(response.status, 400);
  deepStrictEqual(allowed(response), [OWN, null]);
  const exposed = "RateLimit, RateLimit-Policy, Retry-After, WWW-Authenticate, X-Request-Id";
  strictEqual(response.headers.get("Access-Control-Expose-Headers"), exposed);
  const unknown = await postForm(app, "/oauth/token", { client_id: "nobody" }, { Origin: OTHER });
  strictEqual(unknown.status, 401);
  deepStrictEqual(allowed(unknown), [OTHER, null]);
});

Deno.test("the session of the person counts for nothing in a request of an app", async () => {
  const { client: person } = await registerVerifiedUser(app, "grace@example.com");
  const response = await person.request("/oauth/userinfo", { headers: { Origin: OWN } });
  strictEqual(response.status, 401);
});
