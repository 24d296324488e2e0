import { deepStrictEqual, match, notStrictEqual, ok, strictEqual } from "node:assert/strict";
import { createVisitor, type Visitor } from "../support/app/cookie_jar.ts";
import { openIdpWorld } from "../support/providers/idp_world.ts";
import { ADA } from "../support/providers/oidc_provider.ts";

const world = await openIdpWorld();
Deno.test.afterAll(() => world[Symbol.asyncDispose]());
const { provider, url } = world;

/** Starts a sign-in, chooses a person at the provider and returns the callback address. */
async function choose(visitor: Visitor, sub: string): Promise<string> {
  const question = await visitor.follow(`${url}/auth/idp`);
  match(question.body, /Who are you\?/);
  const body = new URLSearchParams({ sub });
  const { url: callback } = await visitor.follow(question.url, { method: "POST", body }, { stopBefore: url });
  return callback;
}

async function profileOf(visitor: Visitor) {
  const response = await visitor.fetch(`${url}/api/profile`);
  strictEqual(response.status, 200);
  return (await response.json()).user;
}

Deno.test("a real provider on another site signs people in, and later sign-ins find their account", async () => {
  const visitor = createVisitor();
  const dashboard = await visitor.follow(await choose(visitor, ADA.sub));
  strictEqual(dashboard.url, `${url}/dashboard`);
  match(dashboard.body, /Hello, <!--.*-->Ada Lovelace|Hello, Ada Lovelace/);
  const user = await profileOf(visitor);
  deepStrictEqual([user.email, user.provider, user.emailVerified], [ADA.email, "idp", true]);

  provider.people.set(ADA.sub, { ...ADA, email: "countess@example.com" });
  const again = createVisitor();
  strictEqual((await again.follow(await choose(again, ADA.sub))).url, `${url}/dashboard`);
  deepStrictEqual(await profileOf(again), user);
  notStrictEqual(visitor.cookiesOf("127.0.0.1").get("auth_session"), again.cookiesOf("127.0.0.1").get("auth_session"));
});

Deno.test("canceling at a real provider returns to the login page", async () => {
  const visitor = createVisitor();
  const login = await visitor.follow(await choose(visitor, ""));
  strictEqual(login.url, `${url}/login?error=cancelled`);
  match(login.body, /Login canceled/);
  ok(!visitor.cookiesOf("127.0.0.1").has("auth_session"));
});

Deno.test("a code works only once at a real provider", async () => {
  const visitor = createVisitor();
  const callback = new URL(await choose(visitor, "grace"));
  const cookies = new Map(visitor.cookiesOf("127.0.0.1"));
  await visitor.follow(callback.href);
  // The thief has everything but the state, which works only once.
  const thief = createVisitor();
  const own = new URL(await choose(thief, "grace"));
  for (const name of ["idp_code_verifier", "idp_nonce"]) thief.cookiesOf("127.0.0.1").set(name, cookies.get(name)!);
  callback.searchParams.set("state", own.searchParams.get("state")!);
  strictEqual((await thief.follow(callback.href)).url, `${url}/login?error=idp_failed`);
});

Deno.test("an address that a real provider has not verified opens no account", async () => {
  provider.people.set("eve", { sub: "eve", name: "Eve", email: "eve@example.com", email_verified: false });
  const visitor = createVisitor();
  strictEqual((await visitor.follow(await choose(visitor, "eve"))).url, `${url}/login?error=idp_email`);
});

Deno.test("redirect_uri does not depend on the Host header", async () => {
  const connection = await Deno.connect({ hostname: "127.0.0.1", port: Number(new URL(url).port) });
  const request = "GET /auth/idp HTTP/1.1\r\nHost: evil.example\r\nX-Forwarded-Host: evil.example\r\n";
  await connection.write(new TextEncoder().encode(`${request}Connection: close\r\n\r\n`));
  const location = (await new Response(connection.readable).text()).match(/^location: (.+)\r$/im)![1];
  strictEqual(new URL(location).searchParams.get("redirect_uri"), `${url}/auth/idp/callback`);
});
