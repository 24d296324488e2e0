import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { MINUTE_SECONDS } from "../../lib/duration.ts";
import { logIn, PASSWORD, registerUser, registerVerifiedUser } from "../support/app/accounts.ts";
import { readPage } from "../support/app/page_reader.ts";
import { GOOD_BEHAVIOR, startFalseProvider } from "../support/providers/false_provider.ts";
import { signedIn } from "../support/providers/idp.ts";
import { readValidPage } from "../support/browser/markup.ts";
import { openSharedTestApp, openTestApp, openTestInstance } from "../support/app/test_app.ts";
import { problemOf, type TestClient, withCookies } from "../support/app/test_client.ts";

const provider = await startFalseProvider();
Deno.test.afterAll(() => provider[Symbol.asyncDispose]());
const app = await openSharedTestApp({ ...provider.env, IDP_NAME: "Contoso", LOGIN_MAX_ATTEMPTS: "0" });
const { db } = app.services;
const API = "/api/account/identities";
const PAGE = "/settings/sign-in-methods";
const EXPIRED = `${PAGE}?error=expired`;
const LINKED = PAGE;
const NEW_WAY = "Contoso was connected to your Foyer account";

const person = (sub: string) => ({ sub, email: `${sub}@contoso.example`, email_verified: true, name: "Other Name" });
const post = (client: TestClient, body: unknown = { provider: "default" }) => client.send("POST", API, body);

/** Starts a link through the API, consents as `sub`, and returns the address of the callback. */
async function consent(client: TestClient, sub: string): Promise<string> {
  provider.userinfo = person(sub);
  const response = await post(client);
  strictEqual(response.status, 200);
  const { pathname, search } = provider.consent((await response.json()).url);
  return pathname + search;
}

/** Goes through the provider, and returns the address of the page that completes the link. */
async function pending(client: TestClient, sub: string): Promise<string> {
  const location = (await client.get(await consent(client, sub))).headers.get("Location")!;
  match(location, /^\/settings\/sign-in-methods\/confirm\?token=[\w-]{43}$/);
  return location;
}

/** Presses the button of the page. Returns where it leads. */
async function confirm(client: TestClient, path: string): Promise<string | null> {
  const { pathname, searchParams } = new URL(path, "http://foyer.test");
  const response = await client.submit(pathname, { token: searchParams.get("token")! });
  return response.headers.get("Location");
}

async function userOf(id: string) {
  return await db.selectFrom("users").selectAll().where("id", "=", id).executeTakeFirstOrThrow();
}

async function assertNotLinked(...ids: string[]): Promise<void> {
  for (const id of ids) deepStrictEqual([(await userOf(id)).idp_id, (await userOf(id)).idp_linked_at], [null, null]);
}

Deno.test("a link changes only how the person can log in, and is recorded", async () => {
  const { client, id, email } = await registerVerifiedUser(app, "links@example.com", "Own Name");
  const elsewhere = app.client();
  await logIn(elsewhere, email);
  const { updated_at: _before, ...before } = await userOf(id);
  const path = await pending(client, "links");
  await assertNotLinked(id);
  match(await (await client.get(path)).text(), /links@contoso\.example.*links@example\.com/s);
  await assertNotLinked(id);

  strictEqual(await confirm(client, path), LINKED);
  match(await (await client.get(PAGE)).text(), /Account connected.*You can log in with Contoso/s);
  const { updated_at, ...after } = await userOf(id);
  deepStrictEqual(after, {
    ...before,
    provider: "idp",
    idp_id: `${provider.issuer} links`,
    idp_linked_at: app.services.now(),
  });
  strictEqual(updated_at.getTime(), app.services.now().getTime());
  const events = await db.selectFrom("events").select(["kind", "details"]).where("user_id", "=", id)
    .where("kind", "in", ["identity.linked", "user.verified", "session.ended"]).orderBy("id").execute();
  deepStrictEqual(events.filter(({ kind }) => kind !== "user.verified"), [
    { kind: "identity.linked", details: { provider: "default" } },
  ]);
  for (const each of [client, elsewhere]) strictEqual((await each.get("/api/profile")).status, 200);
  strictEqual((await signedIn(app, provider, person("links"))).user.id, id);
});

Deno.test("a new link is reported, and removed by the link in the alert", async () => {
  const { client, id, email } = await registerVerifiedUser(app, "reported@example.com");
  strictEqual(await confirm(client, await pending(client, "reported")), LINKED);
  await assertAlertUnlinks({ id, email });
});

Deno.test("a link by a login with the address is reported too, unless the address was not confirmed", async () => {
  const address = (email: string) => ({ ...person(email), email });
  const { id, email } = await registerVerifiedUser(app, "joined@example.com");
  strictEqual((await signedIn(app, provider, address(email))).user.id, id);
  await assertAlertUnlinks({ id, email });

  const { email: unconfirmed } = await registerUser(app, "unconfirmed@example.com");
  await signedIn(app, provider, address(unconfirmed));
  await app.deliverMails();
  deepStrictEqual(app.mails.filter(({ to, subject }) => to === unconfirmed && subject === NEW_WAY), []);
});

Deno.test("the alert about a login on a new device names the provider", async () => {
  const { email } = await registerVerifiedUser(app, "named@example.com");
  await signedIn(app, provider, { ...person(email), email });
  await app.deliverMails();
  const alert = app.mails.findLast(({ to, subject }) => to === email && subject.startsWith("New login"));
  match(alert!.text, /Method: Contoso\n/);
});

/** Requires that the owner gets an alert, whose link unlinks the identity. */
async function assertAlertUnlinks({ id, email }: { id: string; email: string }): Promise<void> {
  await app.deliverMails();
  const alert = app.mails.findLast(({ to, subject }) => to === email && subject === NEW_WAY);
  const token = alert?.text.match(/token=([\w-]{43})/)?.[1];
  strictEqual((await app.client().send("POST", "/auth/not-me", { token })).status, 200);
  await assertNotLinked(id);
}

Deno.test("a link starts only for a session with a recent proof, a known provider and a confirmed address", async () => {
  const attempts = async () =>
    (await db.selectFrom("provider_attempts").select("id").where("purpose", "=", "link").execute()).length;
  const before = await attempts();
  strictEqual((await post(app.client())).status, 401);
  const { client } = await registerVerifiedUser(app, "starts@example.com");
  deepStrictEqual(await problemOf(await post(client, { provider: "other" })), [
    400,
    "VALIDATION_FAILED",
    { provider: ["Unknown provider"] },
  ]);
  for (const body of [{}, { provider: null }, { provider: "x".repeat(65) }]) {
    strictEqual((await post(client, body)).status, 400);
  }
  const linked = await signedIn(app, provider, { sub: "already", email: "already@example.com", email_verified: true });
  deepStrictEqual(await problemOf(await post(linked.client)), [
    400,
    "VALIDATION_FAILED",
    { provider: ["Already added"] },
  ]);
  const unverified = await registerUser(app, "squatter@example.com");
  deepStrictEqual((await problemOf(await post(unverified.client))).slice(0, 2), [403, "EMAIL_NOT_VERIFIED"]);
  app.advance(15 * MINUTE_SECONDS + 1);
  deepStrictEqual((await problemOf(await post(client))).slice(0, 2), [403, "REAUTHENTICATION_REQUIRED"]);
  strictEqual(await attempts(), before);

  await using bare = await openTestInstance(app, (services) => ({ ...services, providers: new Map() }));
  const { client: owner } = await registerVerifiedUser(app, "bare@example.com");
  const refused = await post(withCookies(bare.client(), owner));
  deepStrictEqual((await problemOf(refused)).slice(0, 2), [404, "IDP_NOT_CONFIGURED"]);
});

Deno.test("a link waits for ten minutes from its start", async () => {
  const { client, id } = await registerVerifiedUser(app, "slow@example.com");
  const callback = await consent(client, "slow");
  app.advance(5 * MINUTE_SECONDS);
  const path = (await client.get(callback)).headers.get("Location")!;
  app.advance(5 * MINUTE_SECONDS);
  strictEqual((await client.get(path)).headers.get("Location"), EXPIRED);
  strictEqual(await confirm(client, path), EXPIRED);
  await assertNotLinked(id);
  match((await readPage(client.get(EXPIRED))).message!, /^Contoso hasn’t been connected/);

  await client.send("POST", "/auth/reauthenticate", { password: PASSWORD });
  const late = await consent(client, "slow");
  app.advance(10 * MINUTE_SECONDS);
  strictEqual((await client.get(late)).status, 400);
});

Deno.test("a browser without the state cookie cannot finish a link", async () => {
  const { client, id } = await registerVerifiedUser(app, "stateless@example.com");
  const other = await registerVerifiedUser(app, "stateless-other@example.com");
  const callback = await consent(client, "stateless");
  for (const browser of [app.client(), other.client]) {
    deepStrictEqual((await problemOf(await browser.get(callback))).slice(0, 2), [400, "INVALID_STATE"]);
  }
  await assertNotLinked(id, other.id);
});

Deno.test("an attempt of an attacker that is planted in another browser links nothing", async () => {
  const attacker = await registerVerifiedUser(app, "attacker@example.com");
  const victim = await registerVerifiedUser(app, "planted@example.com");
  const callback = await consent(attacker.client, "planted");
  for (const [name, value] of attacker.client.cookies) {
    if (name.startsWith("idp_")) victim.client.cookies.set(name, value);
  }
  const path = (await victim.client.get(callback)).headers.get("Location")!;
  strictEqual((await victim.client.get(path)).headers.get("Location"), EXPIRED);
  strictEqual(await confirm(victim.client, path), EXPIRED);
  const state = attacker.client.cookies.get("idp_oauth_state")!;
  strictEqual((await attacker.client.get(callback)).status, 400);
  strictEqual(await confirm(attacker.client, `${PAGE}/confirm?token=${state}`), EXPIRED);
  await assertNotLinked(attacker.id, victim.id);
});

Deno.test("only the session that started a link completes it", async () => {
  const { client, id, email } = await registerVerifiedUser(app, "sessions@example.com");
  const stranger = await registerVerifiedUser(app, "sessions-other@example.com");
  const path = await pending(client, "sessions");
  const elsewhere = app.client();
  await logIn(elsewhere, email);
  for (const browser of [elsewhere, stranger.client]) {
    strictEqual((await browser.get(path)).headers.get("Location"), EXPIRED);
    strictEqual(await confirm(browser, path), EXPIRED);
  }
  strictEqual((await app.client().get(path)).headers.get("Location"), `/login?${new URLSearchParams({ next: path })}`);
  await assertNotLinked(id, stranger.id);
  strictEqual(await confirm(client, path), LINKED);
});

Deno.test("nobody who logs in to the browser in between completes the link, not even the same person", async () => {
  const { client, id, email } = await registerVerifiedUser(app, "between@example.com");
  const next = await registerVerifiedUser(app, "between-next@example.com");
  const path = await pending(client, "between");
  await client.send("POST", "/auth/logout", {});
  const { pathname } = new URL(path, "http://foyer.test");
  strictEqual((await client.submit(pathname, { token: path.split("=")[1] })).status, 401);
  for (const each of [next.email, email]) {
    await logIn(client, each);
    strictEqual((await client.get(path)).headers.get("Location"), EXPIRED);
    strictEqual(await confirm(client, path), EXPIRED);
  }
  await assertNotLinked(id, next.id);
});

Deno.test("a proof in between, which renews the session, does not break the link", async () => {
  const { client } = await registerVerifiedUser(app, "renewed@example.com");
  const path = await pending(client, "renewed");
  await client.send("POST", "/auth/reauthenticate", { password: PASSWORD });
  strictEqual(await confirm(client, path), LINKED);
});

Deno.test("callback and confirmation work once, also after the identity has been removed", async () => {
  const { client, id } = await registerVerifiedUser(app, "replayed@example.com");
  const callback = await consent(client, "replayed");
  const cookies = new Map(client.cookies);
  const path = (await client.get(callback)).headers.get("Location")!;
  for (const [name, value] of cookies) client.cookies.set(name, value);
  deepStrictEqual((await problemOf(await client.get(callback))).slice(0, 2), [400, "INVALID_STATE"]);

  const token = path.split("=")[1];
  client.cookies.set("idp_oauth_state", token);
  const asState = await client.get(`/auth/idp/callback?code=x&state=${token}`);
  deepStrictEqual((await problemOf(asState)).slice(0, 2), [400, "INVALID_STATE"]);
  strictEqual(await confirm(client, path), LINKED);
  const { data: [{ id: identityId }] } = await (await client.get(API)).json();
  strictEqual((await client.request(`${API}/${identityId}`, { method: "DELETE" })).status, 204);
  strictEqual((await client.get(path)).headers.get("Location"), EXPIRED);
  strictEqual(await confirm(client, path), EXPIRED);
  await assertNotLinked(id);
});

Deno.test("an identity of another account is refused, and so is a second identity", async () => {
  const owner = await signedIn(app, provider, { sub: "owned", email: "owner@example.com", email_verified: true });
  const { client, id } = await registerVerifiedUser(app, "wants@example.com");
  const refused = await pending(client, "owned");
  strictEqual(await confirm(client, refused), `${PAGE}?error=idp_email`);
  match(await (await client.get(`${PAGE}?error=idp_email`)).text(), /another account here already uses it/);
  await assertNotLinked(id);
  strictEqual((await userOf(owner.user.id)).idp_id, `${provider.issuer} owned`);

  const [first, second] = [await pending(client, "one"), await pending(client, "two")];
  strictEqual(await confirm(client, second), LINKED);
  strictEqual(await confirm(client, first), EXPIRED);
  strictEqual((await userOf(id)).idp_id, `${provider.issuer} two`);
});

Deno.test("of fifty concurrent confirmations, exactly one links", async () => {
  const { client, id } = await registerVerifiedUser(app, "raced@example.com");
  const path = await pending(client, "raced");
  const ends = await Promise.all(Array.from({ length: 50 }, () => confirm(client, path)));
  deepStrictEqual(ends.toSorted(), [LINKED, ...Array(49).fill(EXPIRED)]);
  const events = await db.selectFrom("events").select("id")
    .where("user_id", "=", id).where("kind", "=", "identity.linked").execute();
  strictEqual(events.length, 1);
});

Deno.test("of ten accounts that link one identity at the same time, exactly one gets it", async () => {
  const accounts = [];
  for (let index = 0; index < 10; index++) {
    const { client, id } = await registerVerifiedUser(app, `crowd-${index}@example.com`);
    accounts.push({ client, id, path: await pending(client, "crowd") });
  }
  const ends = await Promise.all(accounts.map(({ client, path }) => confirm(client, path)));
  deepStrictEqual(ends.toSorted(), [LINKED, ...Array(9).fill(`${PAGE}?error=idp_email`)]);
  const linked = await db.selectFrom("users").select("id").where("idp_id", "=", `${provider.issuer} crowd`).execute();
  deepStrictEqual(linked.map(({ id }) => id), [accounts[ends.indexOf(LINKED)].id]);
});

Deno.test("the pages ask for a proof, lead to the provider and ask again before they link", async () => {
  const { client, id } = await registerVerifiedUser(app, "page@example.com");
  const page = (path: string) => readValidPage(client.get(path));
  const add = `${PAGE}/add?provider=default`;
  strictEqual((await page(PAGE)).link("Connect Contoso").href, add);
  app.advance(15 * MINUTE_SECONDS + 1);
  strictEqual((await client.get(add)).headers.get("Location"), `/reauthenticate?${new URLSearchParams({ next: add })}`);
  strictEqual((await client.submit(add, {})).status, 403);
  const left = await client.submit(add, { proof_password: PASSWORD });
  strictEqual(left.status, 200);
  await readValidPage(left);
  const [, url] = /^0; url=(.+)$/.exec(left.headers.get("Refresh")!)!;
  match((await page(add)).text, /Continue with Contoso/);

  provider.userinfo = person("page");
  const { pathname, search } = provider.consent(url);
  const path = (await client.get(pathname + search)).headers.get("Location")!;
  match((await page(path)).text, /as page@contoso\.example will be able to log in to your account, page@example\.com/);
  strictEqual(await confirm(client, path), LINKED);
  ok(!(await page(PAGE)).html.includes("Connect Contoso"));
  strictEqual((await client.get(add)).headers.get("Location"), PAGE);
  strictEqual((await client.submit(add, {})).headers.get("Location"), PAGE);
  strictEqual((await userOf(id)).email, "page@example.com");
});

Deno.test("the page offers no link to people without a confirmed address", async () => {
  const { client } = await registerUser(app, "page-squatter@example.com");
  const html = await (await client.get(PAGE)).text();
  match(html, /Confirm your email address before you connect Contoso/);
  ok(!html.includes(`${PAGE}/add`));
  strictEqual((await client.get(`${PAGE}/add?provider=default`)).headers.get("Location"), PAGE);
  strictEqual((await client.submit(`${PAGE}/add?provider=default`, {})).headers.get("Location"), PAGE);
});

Deno.test("a link that fails at the provider ends on the page of the ways to log in, which says so", async () => {
  const { client, id } = await registerVerifiedUser(app, "fails@example.com");
  const { searchParams } = new URL(await consent(client, "fails"), "http://foyer.test");
  const denied = `/auth/idp/callback?error=access_denied&state=${searchParams.get("state")}`;
  strictEqual((await client.get(denied)).headers.get("Location"), `${PAGE}?error=cancelled`);
  match(await (await client.get(`${PAGE}?error=cancelled`)).text(), /You canceled\. Contoso hasn’t been connected/);

  const callback = await consent(client, "fails");
  provider.claims = { aud: "someone else" };
  const failed = await client.get(callback);
  Object.assign(provider, GOOD_BEHAVIOR);
  strictEqual(failed.headers.get("Location"), `${PAGE}?error=idp_failed`);

  const unconfirmed = await consent(client, "fails");
  provider.userinfo = { ...person("fails"), email_verified: false };
  strictEqual((await client.get(unconfirmed)).headers.get("Location"), `${PAGE}?error=idp_email`);
  strictEqual((await readPage(client.get(`${PAGE}?error=toString`))).message, null);
  await assertNotLinked(id);
});

Deno.test("an unreachable provider is reported as unavailable", async () => {
  await using alone = await openTestApp({ ...provider.env, IDP_ISSUER: "http://localhost:1" });
  const { client } = await registerVerifiedUser(alone, "alone@example.com");
  const response = await post(client);
  deepStrictEqual((await problemOf(response)).slice(0, 2), [503, "UNAVAILABLE"]);
  strictEqual((await client.submit(`${PAGE}/add`, {})).headers.get("Location"), `${PAGE}?error=idp_failed`);
});
