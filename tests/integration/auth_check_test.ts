import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { DAY_SECONDS } from "../../lib/duration.ts";
import type { Scope } from "../../lib/schemas/scopes.ts";
import { logIn, registerUser, registerVerifiedUser } from "../support/app/accounts.ts";
import { createToken } from "../support/app/api_tokens.ts";
import { readPage } from "../support/app/page_reader.ts";
import { BASE_URL, openSharedTestApp } from "../support/app/test_app.ts";
import { withFailingDatabase } from "../support/database/failing_database.ts";

const PRODUCT = "http://app.foyer.test";
const app = await openSharedTestApp({
  COOKIE_DOMAIN: "foyer.test",
  RETURN_ORIGINS: `${PRODUCT} http://foyer.test:3000`,
  LOGIN_MAX_ATTEMPTS: "0",
});
const { db } = app.services;

function identityOf({ headers }: Response): Record<string, string> {
  return Object.fromEntries([...headers].filter(([name]) => name.startsWith("x-foyer-")));
}

Deno.test("the check tells a proxy who sends a request, in ASCII", async () => {
  const name = "Zoë “Z” Ólafsdóttir ✨";
  const { client, id, email } = await registerVerifiedUser(app, "zoe@example.com", name);
  const response = await client.get("/auth/check");
  strictEqual(response.status, 204);
  strictEqual(response.headers.get("Cache-Control"), "no-store");
  const { "x-foyer-user-name": encoded, "x-foyer-user-session": sessionId, ...rest } = identityOf(response);
  deepStrictEqual(rest, {
    "x-foyer-user-id": id,
    "x-foyer-user-email": email,
    "x-foyer-user-email-verified": "true",
    "x-foyer-user-picture": "",
    "x-foyer-user-role": "user",
    "x-foyer-user-groups": "",
  });
  match(encoded, /^[!-~]+$/);
  deepStrictEqual((await (await client.get("/api/account/sessions")).json()).data.map(({ id }: { id: string }) => id), [
    sessionId,
  ]);
  strictEqual(decodeURIComponent(encoded), name);
  await db.updateTable("users").set({ role: "admin" }).where("id", "=", id).execute();
  strictEqual(identityOf(await client.get("/auth/check"))["x-foyer-user-role"], "admin");
  strictEqual((await client.request("/auth/check", { method: "HEAD" })).headers.get("x-foyer-user-id"), id);
});

Deno.test("the check names the photo of the person, with one at another address in ASCII", async () => {
  const { client } = await registerVerifiedUser(app, "photo@example.com");
  strictEqual((await client.send("PUT", "/api/profile", { avatar: "https://photos.example/zoë.png" })).status, 200);
  strictEqual(
    identityOf(await client.get("/auth/check"))["x-foyer-user-picture"],
    "https://photos.example/zo%C3%AB.png",
  );
});

Deno.test("a token with profile:read passes the check, any other is refused", async () => {
  const { client, id } = await registerVerifiedUser(app, "program@example.com");
  const check = async (headers: HeadersInit, path = "/auth/check") => await app.client().get(path, headers);
  const reader = await createToken(client, { scopes: ["profile:read"] });
  const response = await check(reader.headers);
  const { "x-foyer-user-id": named, "x-foyer-user-session": session } = identityOf(response);
  deepStrictEqual([response.status, named, session], [204, id, ""]);
  strictEqual(response.headers.get("Cache-Control"), "no-store");
  strictEqual((await check((await createToken(client, { scopes: ["users:read"] })).headers)).status, 403);
  for (const path of ["/auth/check", "/auth/check?login=redirect"]) {
    const bad = await client.get(path, { Authorization: "Bearer foyer_wrong" });
    deepStrictEqual([bad.status, identityOf(bad)], [401, {}], "a bad token beside a good session");
    match(bad.headers.get("WWW-Authenticate")!, /invalid_token/);
  }
});

Deno.test("products learn nothing about a user who has not confirmed the address", async () => {
  const { client, email } = await registerUser(app, "anyone@example.com");
  const response = await client.get("/auth/check");
  deepStrictEqual([response.status, identityOf(response)], [401, {}]);
  const { code, message } = await response.json();
  deepStrictEqual([code, message], ["UNAUTHENTICATED", "The email address is not confirmed"]);
  const led = await client.get("/auth/check?login=redirect", { "X-Original-URL": `${PRODUCT}/wiki` });
  deepStrictEqual([led.status, identityOf(led)], [303, {}]);
  const { pathname, searchParams } = new URL(led.headers.get("Location")!);
  deepStrictEqual([pathname, Object.fromEntries(searchParams)], ["/verify-email", { email, next: `${PRODUCT}/wiki` }]);
});

Deno.test("a token of an admin makes its holder an admin at products only with the scope admin", async () => {
  const { client, id } = await registerVerifiedUser(app, "boss@example.com");
  await db.updateTable("users").set({ role: "admin" }).where("id", "=", id).execute();
  const roleWith = async (scopes: Scope[]) => {
    const { headers } = await createToken(client, { scopes });
    return identityOf(await app.client().get("/auth/check", headers))["x-foyer-user-role"];
  };
  strictEqual(await roleWith(["profile:read"]), "user");
  strictEqual(await roleWith(["profile:read", "admin"]), "admin");
});

Deno.test("without a session, with an ended one and with a closing account, the check responds with 401", async () => {
  const assertRefused = async (client = app.client()) => {
    const response = await client.get("/auth/check");
    strictEqual(response.status, 401);
    strictEqual(response.headers.get("Cache-Control"), "no-store");
    strictEqual((await response.json()).code, "UNAUTHENTICATED");
    deepStrictEqual(identityOf(response), {});
  };
  await assertRefused();
  const ended = await registerVerifiedUser(app, "ended@example.com");
  const token = ended.client.cookies.get("auth_session")!;
  await ended.client.send("POST", "/auth/logout", {});
  ended.client.cookies.set("auth_session", token);
  await assertRefused(ended.client);

  const { client, email } = await registerVerifiedUser(app, "closing@example.com");
  await client.request("/api/account", { method: "DELETE" });
  await logIn(client, email);
  await assertRefused(client);
  const led = await client.get("/auth/check?login=redirect", { "X-Original-URL": `${PRODUCT}/wiki` });
  const login = new URL(led.headers.get("Location")!);
  const kept = (await client.get(login.pathname + login.search)).headers.get("Location")!;
  match(kept, /^\/keep-account\?next=/, "the login page redirects to it, so there is no loop");
});

Deno.test("the check extends the session like every other request", async () => {
  const { client } = await registerVerifiedUser(app, "extended@example.com");
  app.advance(4 * DAY_SECONDS);
  match((await client.get("/auth/check")).headers.getSetCookie().join(), /^auth_session=/);
});

Deno.test("log lines about checks name no user", async () => {
  const { client, id, email } = await registerVerifiedUser(app, "silent@example.com", "Silent Sam");
  app.logLines.length = 0;
  strictEqual((await client.get("/auth/check", { "X-Original-URL": `${PRODUCT}/silent@example.com` })).status, 204);
  await app.client().get("/auth/check?login=redirect", { "X-Original-URL": `${PRODUCT}/silent@example.com` });
  strictEqual(app.logLines.length, 2);
  const text = app.logLines.join();
  for (const secret of [id, email, "Sam", client.cookies.get("auth_session")!]) ok(!text.includes(secret), text);
});

Deno.test("the redirect leads to the login page and back to what the proxy was asked for", async () => {
  const next = async (headers: HeadersInit) => {
    const response = await app.client().get("/auth/check?login=redirect", headers);
    strictEqual(response.status, 303);
    strictEqual(response.headers.get("Cache-Control"), "no-store");
    const location = new URL(response.headers.get("Location")!); // absolute, because it reaches browsers on other hosts
    strictEqual(location.origin + location.pathname, `${BASE_URL}/login`);
    return location.searchParams.get("next");
  };
  const forwarded = (proto: string, host: string, uri: string) =>
    next({ "X-Forwarded-Proto": proto, "X-Forwarded-Host": host, "X-Forwarded-Uri": uri });
  const page = `${PRODUCT}/wiki?title=a%20b&x=%26`;
  strictEqual(await next({ "X-Original-URL": page }), page);
  strictEqual(await forwarded("http", "app.foyer.test", "/wiki?title=a%20b&x=%26"), page);
  strictEqual(await forwarded("http", "foyer.test:3000", "/"), "http://foyer.test:3000/");
  strictEqual(await next({ "X-Original-URL": `${BASE_URL}/profile` }), `${BASE_URL}/profile`);
  strictEqual(
    await next({ "X-Original-URL": page, "X-Forwarded-Proto": "http", "X-Forwarded-Host": "evil.example" }),
    page,
  );
  for (const evil of ["http://evil.example/", "/wiki", "//app.foyer.test/", `${PRODUCT}@evil.example/`, "wiki", ""]) {
    strictEqual(await next({ "X-Original-URL": evil }), null, evil);
  }
  strictEqual(await forwarded("https", "app.foyer.test", "/"), null);
  strictEqual(await forwarded("http", "app.foyer.test@evil.example", "/"), null);
  strictEqual(await forwarded("http", "app.foyer.test", "@evil.example/"), null);
  strictEqual(await forwarded("http", "app.foyer.test", ".evil.example/"), null);
  strictEqual(await forwarded("javascript", "app.foyer.test", "/"), null);
  strictEqual(await next({}), null);
  const { client } = await registerVerifiedUser(app, "known@example.com");
  strictEqual((await client.get("/auth/check?login=redirect", { "X-Original-URL": page })).status, 204);
});

Deno.test("the page of a failure leads to the product and to us, and to no other origin", async () => {
  const { client } = await registerVerifiedUser(app, "unlucky@example.com");
  const failed = async (address: string) => {
    const headers = { Accept: "text/html", "X-Original-URL": address };
    const response = await withFailingDatabase(app, new Error("a test"), () => client.get("/auth/check?x=1", headers));
    strictEqual(response.status, 500);
    match(response.headers.get("Content-Security-Policy")!, new RegExp(`default-src 'none'; style-src ${BASE_URL};`));
    return await readPage(response);
  };
  const page = await failed(`${PRODUCT}/wiki?x=%26`);
  strictEqual(page.find("base").getAttribute("href"), `${BASE_URL}/`);
  strictEqual(page.link("Try again").href, `${PRODUCT}/wiki?x=%26`);
  deepStrictEqual(page.forms, []);
  const foreign = await failed("http://evil.example/");
  strictEqual(foreign.link("Try again").href, "/auth/check?x=1");
  ok(!foreign.html.includes("evil"));
});
