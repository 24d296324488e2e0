import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { decodeJwt } from "jose";
import { registerVerifiedUser } from "../support/app/accounts.ts";
import { BASE_URL, openSharedTestApp, openTestApp, PRODUCTION } from "../support/app/test_app.ts";

const PRODUCT = "http://app.foyer.test:3000";
const FRONT_END = "http://front.foyer.test";
const BOTH = "http://both.foyer.test";
const SLASH = "http://slash.foyer.test/";
const app = await openSharedTestApp({
  TOKEN_AUDIENCES: `${PRODUCT} http://other.foyer.test wiki http://api.foyer.test/v1 ${SLASH} ${BOTH}`,
  CORS_ORIGINS: `${FRONT_END} ${BOTH}`,
});
const { client } = await registerVerifiedUser(app, "product@example.com");

/** Sends a request as a script of another origin does. */
function send(method: string, path: string, { origin = PRODUCT, body = {} }: { origin?: string; body?: object } = {}) {
  const isRead = method === "GET" || method === "HEAD";
  return client.request(path, {
    method,
    headers: { "Origin": origin, "Sec-Fetch-Site": "same-site", "Content-Type": "application/json" },
    ...isRead ? {} : { body: JSON.stringify(body) },
  });
}

function preflight(method: string, path: string, origin = PRODUCT) {
  const headers = { "Origin": origin, "Access-Control-Request-Method": method };
  return client.request(path, { method: "OPTIONS", headers });
}

function grantOf({ headers }: Response): [origin: string | null, credentials: string | null] {
  return [headers.get("Access-Control-Allow-Origin"), headers.get("Access-Control-Allow-Credentials")];
}

const GRANTED = [PRODUCT, "true"];
const NOT_GRANTED = [null, null];

Deno.test("a product's scripts get a token, learn who is logged in, and log out", async () => {
  const { client } = await registerVerifiedUser(app, "script@example.com");
  const headers = { "Origin": PRODUCT, "Sec-Fetch-Site": "same-site" };
  for (const [method, path] of [["POST", "/auth/token"], ["GET", "/auth/check"], ["POST", "/auth/logout"]]) {
    const allowed = await preflight(method, path);
    deepStrictEqual([allowed.status, ...grantOf(allowed)], [204, ...GRANTED], path);
    ok(allowed.headers.get("Access-Control-Allow-Headers")!.includes("Content-Type"));
  }
  const token = await client.send("POST", "/auth/token", { audience: PRODUCT }, headers);
  deepStrictEqual([token.status, ...grantOf(token)], [200, ...GRANTED]);
  const check = await client.get("/auth/check", headers);
  deepStrictEqual([check.status, ...grantOf(check), check.headers.get("Vary")], [204, ...GRANTED, "Origin"]);
  const exposed = check.headers.get("Access-Control-Expose-Headers")!.split(", ");
  for (const name of check.headers.keys()) {
    if (name.startsWith("x-foyer-")) ok(exposed.map((it) => it.toLowerCase()).includes(name), name);
  }
  const logout = await client.send("POST", "/auth/logout", {}, headers);
  deepStrictEqual([logout.status, ...grantOf(logout)], [200, ...GRANTED]);
  const ended = await client.get("/auth/check", headers);
  deepStrictEqual([ended.status, ...grantOf(ended)], [401, ...GRANTED], "scripts can read the refusal");
});

Deno.test("a product's scripts can do nothing else with the session", async () => {
  const others: [method: string, path: string][] = [
    ["GET", "/api/profile"],
    ["GET", "/api/account"],
    ["GET", "/auth/token"],
    ["GET", "/auth/logout"],
    ["POST", "/auth/check"],
    ["GET", "/auth/check/"],
    ["GET", "/auth/check/constructor"],
    ["GET", "/logout"],
    ["PUT", "/api/profile"],
    ["POST", "/api/tokens"],
    ["POST", "/auth/login"],
    ["POST", "/auth/token/"],
    ["POST", "/auth/%74oken"],
    ["PUT", "/auth/token"],
    ["POST", "/logout"],
    ["POST", "/login"],
  ];
  for (const [method, path] of others) {
    const response = await send(method, path);
    deepStrictEqual(grantOf(response), NOT_GRANTED, `${method} ${path}`);
    deepStrictEqual(grantOf(await preflight(method, path)), NOT_GRANTED, `preflight of ${method} ${path}`);
    if (method === "GET") continue;
    strictEqual(response.status, 403, `${method} ${path}`);
  }
  strictEqual((await client.get("/auth/check")).status, 204, "the session still exists");
});

Deno.test("only an audience that is an origin is one, with or without a slash", async () => {
  const cases: [origin: string, isAllowed: boolean][] = [
    [PRODUCT, true],
    ["http://slash.foyer.test", true],
    ["http://api.foyer.test", false],
    ["http://app.foyer.test", false],
    ["https://app.foyer.test:3000", false],
    ["http://app.foyer.test:3000.evil.example", false],
    ["wiki", false],
    ["null", false],
  ];
  for (const [origin, isAllowed] of cases) {
    const response = await send("GET", "/auth/check", { origin });
    deepStrictEqual([response.status, grantOf(response)[0]], [204, isAllowed ? origin : null], origin);
    if (!isAllowed) {
      strictEqual((await send("POST", "/auth/token", { origin, body: { audience: "wiki" } })).status, 403);
    }
  }
});

/**
 * Asks for a token with the session, and says what came back: 200 with a token for this audience, or another status.
 */
async function askToken(audience: string, headers: Record<string, string>): Promise<number> {
  const response = await client.send("POST", "/auth/token", { audience }, headers);
  const { accessToken } = await response.json();
  if (response.status === 200) strictEqual(decodeJwt(accessToken).aud, audience);
  else strictEqual(accessToken, undefined);
  return response.status;
}

Deno.test("a product's scripts get tokens for their own product only", async () => {
  const all = [PRODUCT, "http://other.foyer.test", "wiki", "http://api.foyer.test/v1", SLASH, BOTH];
  const from = (origin: string) => ({ "Origin": origin, "Sec-Fetch-Site": "same-site" });
  const cases: [sender: string, headers: Record<string, string>, audiences: string[]][] = [
    ["a product", from(PRODUCT), [PRODUCT]],
    ["another product", from("http://other.foyer.test"), ["http://other.foyer.test"]],
    ["a product whose entry ends with a slash", from("http://slash.foyer.test"), [SLASH]],
    ["the origin of an entry with a path", from("http://api.foyer.test"), []],
    ["another port of a product", from("http://app.foyer.test"), []],
    ["a page without an origin", from("null"), []],
    ["another site", { "Origin": "http://evil.example", "Sec-Fetch-Site": "cross-site" }, []],
    ["a page that hides its origin", { "Sec-Fetch-Site": "same-site" }, []],
    ["our own page", { "Origin": BASE_URL, "Sec-Fetch-Site": "same-origin" }, all],
    ["our own page without an Origin", { "Sec-Fetch-Site": "same-origin" }, all],
    ["a front end in CORS_ORIGINS", from(FRONT_END), all],
    ["a product that is in CORS_ORIGINS too", from(BOTH), all],
    ["a program with the cookie", {}, all],
  ];
  for (const [sender, headers, audiences] of cases) {
    for (const audience of all) {
      const isAllowed = audiences.includes(audience);
      strictEqual(await askToken(audience, headers), isAllowed ? 200 : 403, `${sender} asks for ${audience}`);
    }
  }
});

Deno.test("a product's scripts cannot find out which other audiences there are", async () => {
  for (const audience of ["wiki", "unknown", "http://unknown.foyer.test"]) {
    const response = await send("POST", "/auth/token", { body: { audience } });
    deepStrictEqual([response.status, (await response.json()).code], [403, "FORBIDDEN"], audience);
  }
});

Deno.test("an origin in CORS_ORIGINS may still do everything", async () => {
  strictEqual((await send("PUT", "/api/profile", { origin: FRONT_END, body: { bio: "x" } })).status, 200);
  deepStrictEqual(grantOf(await send("GET", "/api/profile", { origin: FRONT_END })), [FRONT_END, "true"]);
});

Deno.test("in production, an http page of another machine gets no token", async () => {
  const [plain, tls] = ["http://app.foyer.example", "https://app.foyer.example"];
  await using production = await openTestApp({ ...PRODUCTION, TOKEN_AUDIENCES: `${plain} ${tls}` });
  const check = (origin: string) => production.client().get("/auth/check", { Origin: origin });
  deepStrictEqual(grantOf(await check(tls)), [tls, "true"]);
  deepStrictEqual(grantOf(await check(plain)), NOT_GRANTED);
});
