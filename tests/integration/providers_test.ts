import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { hashPassword } from "../../lib/crypto/password.ts";
import { signInWithIdp } from "../../lib/sign_in/providers/idp_login.ts";
import { sendAlert } from "../../lib/mail/links/alert.ts";
import { logIn, mailedToken, PASSWORD, registerVerifiedUser } from "../support/app/accounts.ts";
import { readPage } from "../support/app/page_reader.ts";
import { type FalseProvider, startFalseProvider } from "../support/providers/false_provider.ts";
import { consentScreen, envOf, signIn, signInAt } from "../support/providers/idp.ts";
import { readValidPage } from "../support/browser/markup.ts";
import { SOME_CLIENT } from "../support/app/some_client.ts";
import { BASE_URL, openSharedTestApp, openTestApp } from "../support/app/test_app.ts";
import { statusAndCode, type TestClient } from "../support/app/test_client.ts";

const main = await startFalseProvider();
const contoso = await startFalseProvider();
const plain = await startFalseProvider();
Deno.test.afterAll(async () => {
  for (const provider of [main, contoso, plain]) await provider[Symbol.asyncDispose]();
});
const ENV = {
  ...main.env,
  IDP_NAME: "Example",
  IDP_PROVIDERS: "contoso plain",
  ...envOf("contoso", contoso.env),
  IDP_CONTOSO_NAME: "Contoso",
  ...envOf("plain", plain.plainEnv),
};
const app = await openSharedTestApp({ ...ENV, LOGIN_MAX_ATTEMPTS: "0" });
const { db } = app.services;
const API = "/api/account/identities";
const PAGE = "/settings/sign-in-methods";
const passwordHash = await hashPassword(PASSWORD, { iterations: 100_000, owner: "test" });

const person = (sub: string, more: Record<string, unknown> = {}) => ({
  sub,
  email: `${sub}@example.com`,
  email_verified: true,
  name: `Person ${sub}`,
  ...more,
});

/** Signs in with contoso, and returns where it ends. */
async function withContoso(who: Record<string, unknown>, client = app.client()): Promise<string | null> {
  contoso.userinfo = who;
  const { headers } = await signInAt("contoso", { client, consent: contoso.consent });
  return headers.get("Location");
}

async function identities(client: TestClient): Promise<{ id: string; provider: string; email: string }[]> {
  return (await (await client.get(API)).json()).data;
}

const providersOf = async (client: TestClient) => (await identities(client)).map(({ provider }) => provider);

async function idOf(client: TestClient): Promise<string> {
  return (await (await client.get("/api/account")).json()).data.id;
}

/** Links a provider through the API and the page, and returns where it ends. */
async function link(client: TestClient, key: string, provider: FalseProvider): Promise<string | null> {
  const { url } = await (await client.send("POST", API, { provider: key })).json();
  const { pathname, search } = provider.consent(url);
  return await confirm(client, (await client.get(pathname + search)).headers.get("Location")!);
}

async function confirm(client: TestClient, path: string): Promise<string | null> {
  const { pathname, searchParams } = new URL(path, BASE_URL);
  return (await client.submit(pathname, { token: searchParams.get("token")! })).headers.get("Location");
}

function clearRequests(): void {
  for (const provider of [main, contoso, plain]) provider.requests.length = 0;
}

Deno.test("each provider has a button, and a redirect URI of its own", async () => {
  const paths = { "/auth/idp": main, "/auth/idp/contoso": contoso, "/auth/idp/plain": plain };
  for (const page of ["/login", "/register"]) {
    const { links } = await readValidPage(app.client().get(`${page}?next=%2Fprofile`));
    const buttons = links.filter(({ href }) => href!.startsWith("/auth/idp")).map(({ href, text }) => [href, text]);
    deepStrictEqual(buttons, [
      ["/auth/idp?next=%2Fprofile", "Continue with Example"],
      ["/auth/idp/contoso?next=%2Fprofile", "Continue with Contoso"],
      ["/auth/idp/plain?next=%2Fprofile", "Continue with plain"],
    ]);
  }
  for (const [path, provider] of Object.entries(paths)) {
    const url = new URL(await consentScreen(app.client(), path));
    deepStrictEqual([url.origin, url.searchParams.get("redirect_uri")], [
      provider.issuer,
      `${BASE_URL}${path}/callback`,
    ]);
  }
});

Deno.test("an unknown provider does not exist, and the default one has no key in its URLs", async () => {
  for (const key of ["other", "default", "constructor", "CONTOSO"]) {
    for (const path of [`/auth/idp/${key}`, `/auth/idp/${key}/callback?code=c&state=s`]) {
      deepStrictEqual(await statusAndCode(await app.client().get(path)), [404, "IDP_NOT_CONFIGURED"], path);
    }
  }
  for (const headers of [{ "Sec-Fetch-Dest": "image" }, { "Sec-Fetch-Dest": "iframe" }]) {
    deepStrictEqual(await statusAndCode(await app.client().get("/auth/idp/contoso", headers)), [403, "FORBIDDEN"]);
  }
  const { headers } = await app.client().request("/auth/idp/contoso/callback?code=c", { method: "HEAD" });
  strictEqual(headers.get("Location"), "/login");
});

Deno.test("a provider creates an account, finds it again, and is not the default provider", async () => {
  const client = app.client();
  strictEqual(await withContoso(person("new"), client), "/dashboard");
  const [{ provider, email }] = await identities(client);
  deepStrictEqual([provider, email], ["contoso", "new@example.com"]);
  const { user } = await (await client.get("/api/profile")).json();
  deepStrictEqual([user.provider, user.emailVerified], ["idp", true]);
  const { idp_id } = await db.selectFrom("users").select("idp_id").where("id", "=", user.id).executeTakeFirstOrThrow();
  strictEqual(idp_id, null);
  const again = app.client();
  strictEqual(await withContoso(person("new", { email: "moved@example.com" }), again), "/dashboard");
  strictEqual(await idOf(again), user.id);
  strictEqual((await identities(again))[0].email, "moved@example.com");
});

Deno.test("the response of one provider at the URL of another is refused, and reaches neither", async () => {
  const paths: [path: string, provider: FalseProvider][] = [
    ["/auth/idp", main],
    ["/auth/idp/contoso", contoso],
    ["/auth/idp/plain", plain],
  ];
  for (const [path, provider] of paths) {
    for (const [other] of paths.filter(([each]) => each !== path)) {
      const client = app.client();
      provider.userinfo = person("mixed");
      const { search } = provider.consent(await consentScreen(client, path));
      clearRequests();
      const response = await client.get(`${other}/callback${search}`);
      deepStrictEqual(await statusAndCode(response), [400, "INVALID_STATE"], `${path} to ${other}`);
      for (const each of [main, contoso, plain]) deepStrictEqual(each.requests, [], `${path} to ${other}`);
      ok(!client.cookies.has("auth_session"));
    }
  }
});

Deno.test("an issuer in the response must be the provider's", async () => {
  const cases: [key: string, provider: FalseProvider, iss: string, accepted: boolean][] = [
    ["contoso", contoso, contoso.issuer, true],
    ["contoso", contoso, main.issuer, false],
    ["plain", plain, plain.issuer, true],
    ["plain", plain, `${plain.issuer}/oauth`, true],
    ["plain", plain, contoso.issuer, false],
    ["plain", plain, "not a URL", false],
    ["plain", plain, "", false],
  ];
  for (const [key, provider, iss, accepted] of cases) {
    const client = app.client();
    provider.userinfo = person("issued");
    const callback = provider.consent(await consentScreen(client, `/auth/idp/${key}`));
    callback.searchParams.set("iss", iss);
    clearRequests();
    const { headers } = await client.get(callback.pathname + callback.search);
    strictEqual(
      headers.get("Location"),
      accepted ? "/dashboard" : `/login?error=idp_failed&provider=${key}`,
      `${key} ${iss}`,
    );
    strictEqual(provider.requests.includes("token"), accepted, `${key} ${iss}`);
  }
  const client = app.client();
  const callback = plain.consent(await consentScreen(client, "/auth/idp/plain"));
  callback.searchParams.append("iss", plain.issuer);
  const { headers } = await client.get(callback.pathname + callback.search);
  strictEqual(headers.get("Location"), "/login?error=idp_failed&provider=plain", "two issuers");
});

Deno.test("a state from another browser is refused", async () => {
  const [victim, thief] = [app.client(), app.client()];
  contoso.userinfo = person("stolen");
  const { pathname, search } = contoso.consent(await consentScreen(victim, "/auth/idp/contoso"));
  await consentScreen(thief, "/auth/idp/contoso");
  clearRequests();
  for (const browser of [thief, app.client()]) {
    deepStrictEqual(await statusAndCode(await browser.get(pathname + search)), [400, "INVALID_STATE"]);
  }
  deepStrictEqual(contoso.requests, []);
});

Deno.test("a second person with an address that the provider knows already is refused", async () => {
  const first = app.client();
  strictEqual(await withContoso(person("first"), first), "/dashboard");
  strictEqual(
    await withContoso(person("second", { email: "first@example.com" })),
    "/login?error=idp_email&provider=contoso",
  );
  // The account has another address by now, and someone else has registered the old one.
  await db.updateTable("users").set({ email: "first-new@example.com" }).where("id", "=", await idOf(first)).execute();
  strictEqual(
    await withContoso(person("second", { email: "first@example.com" })),
    "/login?error=idp_email&provider=contoso",
  );
  const owner = await registerVerifiedUser(app, "first@example.com");
  strictEqual(
    await withContoso(person("second", { email: "first@example.com" })),
    "/login?error=idp_email&provider=contoso",
  );
  deepStrictEqual(await identities(owner.client), []);
  // Only the first person gives the address up.
  strictEqual(await withContoso(person("first", { email: "first-moved@example.com" })), "/dashboard");
  const second = app.client();
  strictEqual(await withContoso(person("second", { email: "first@example.com" }), second), "/dashboard");
  strictEqual(await idOf(second), owner.id);
  // A known person keeps logging in, whatever address the provider sends.
  strictEqual(await withContoso(person("first", { email: "first@example.com" }), first), "/dashboard");
  strictEqual((await identities(first))[0].email, "first-moved@example.com");
});

Deno.test("a second person cannot link an address that the provider knows already", async () => {
  strictEqual(await withContoso(person("linked-first")), "/dashboard");
  const { client } = await registerVerifiedUser(app, "linked-second@example.com");
  contoso.userinfo = person("linked-other", { email: "linked-first@example.com" });
  strictEqual(await link(client, "contoso", contoso), `${PAGE}?error=idp_email&provider=contoso`);
  const message = async (query: string) => (await readPage(client.get(`${PAGE}?${query}`))).message!;
  match(await message("error=idp_email&provider=contoso"), /^Contoso hasn’t been connected\./);
  match(await message("error=expired"), /^The service you chose hasn’t been connected\./);
  deepStrictEqual(await identities(client), []);
});

Deno.test("of concurrent first sign-ins, one subject and one address belong to one account", async () => {
  const identity = { provider: "contoso", emailVerified: true, name: null, picture: null, groups: null };
  const count = Array.from({ length: 6 }, (_, index) => index);
  const signIns = (of: (index: number) => { subject: string; email: string }) =>
    Promise.allSettled(
      count.map((index) => signInWithIdp(app.services, { ...identity, ...of(index) }, SOME_CLIENT)),
    );
  const ofOnePerson = await signIns((index) => ({ subject: "crowd", email: `crowd-${index}@example.com` }));
  strictEqual(new Set(ofOnePerson.map((result) => result.status === "fulfilled" && result.value.user.id)).size, 1);
  ok(ofOnePerson.every(({ status }) => status === "fulfilled"));
  const ofOneAddress = await signIns((index) => ({ subject: `crowd-${index}`, email: "crowded@example.com" }));
  deepStrictEqual(ofOneAddress.map(({ status }) => status).toSorted(), ["fulfilled", ...Array(5).fill("rejected")]);
  for (const result of ofOneAddress) {
    if (result.status === "rejected") strictEqual(result.reason.refusal, "idp_email");
  }
});

Deno.test("one account has an identity of each provider, and the last way to log in stays", async () => {
  const client = app.client();
  strictEqual(await withContoso(person("many"), client), "/dashboard");
  main.userinfo = person("many-main");
  strictEqual(await link(client, "default", main), PAGE);
  plain.userinfo = person("many-plain");
  strictEqual(await link(client, "plain", plain), PAGE);
  deepStrictEqual(await providersOf(client), ["contoso", "default", "plain"]);
  deepStrictEqual(await statusAndCode(await client.send("POST", API, { provider: "contoso" })), [
    400,
    "VALIDATION_FAILED",
  ]);
  const id = await idOf(client);
  const other = app.client();
  strictEqual((await signIn(app, main, person("many-main"), other)).headers.get("Location"), "/dashboard");
  strictEqual(await idOf(other), id);

  const rows = await identities(client);
  const unlink = (index: number) => client.request(`${API}/${rows[index].id}`, { method: "DELETE" });
  const stranger = await registerVerifiedUser(app, "stranger@example.com");
  const theft = await stranger.client.request(`${API}/${rows[0].id}`, { method: "DELETE" });
  deepStrictEqual(await statusAndCode(theft), [404, "NOT_FOUND"]);
  strictEqual((await unlink(1)).status, 204);
  strictEqual((await unlink(0)).status, 204);
  const { provider, idp_id } = await db.selectFrom("users").select(["provider", "idp_id"]).where("id", "=", id)
    .executeTakeFirstOrThrow();
  deepStrictEqual([provider, idp_id], ["idp", null]);
  deepStrictEqual(await statusAndCode(await unlink(2)), [409, "LAST_SIGN_IN_METHOD"]);
  deepStrictEqual(await providersOf(client), ["plain"]);
  await db.updateTable("users").set({ password_hash: passwordHash }).where("id", "=", id).execute();
  strictEqual((await unlink(2)).status, 204);
  const { user } = await (await client.get("/api/profile")).json();
  strictEqual(user.provider, "email");
  const events = await db.selectFrom("events").select(["kind", "details"]).where("user_id", "=", id)
    .where("kind", "in", ["identity.linked", "identity.unlinked"]).orderBy("id").execute();
  deepStrictEqual(events.map(({ kind, details }) => [kind, details.provider]), [
    ["identity.linked", "default"],
    ["identity.linked", "plain"],
    ["identity.unlinked", "default"],
    ["identity.unlinked", "contoso"],
    ["identity.unlinked", "plain"],
  ]);
});

Deno.test("of concurrent requests to remove the last two identities, one is refused", async () => {
  const client = app.client();
  strictEqual(await withContoso(person("racing"), client), "/dashboard");
  main.userinfo = person("racing-main");
  strictEqual(await link(client, "default", main), PAGE);
  const responses = await Promise.all(
    (await identities(client)).map(({ id }) => client.request(`${API}/${id}`, { method: "DELETE" })),
  );
  deepStrictEqual(responses.map(({ status }) => status).toSorted(), [204, 409]);
});

Deno.test("the pages add and remove the provider in their query", async () => {
  const { client, email } = await registerVerifiedUser(app, "pages@example.com");
  const page = (path: string) => readValidPage(client.get(path));
  const add = `${PAGE}/add?provider=contoso`;
  const connects = (await page(PAGE)).links.filter(({ text }) => text.startsWith("Connect "));
  deepStrictEqual(connects.map(({ text, href }) => [text, href]), [
    ["Connect Example", `${PAGE}/add?provider=default`],
    ["Connect Contoso", add],
    ["Connect plain", `${PAGE}/add?provider=plain`],
  ]);
  match((await page(add)).text, /Continue with Contoso/);
  for (const unknown of ["other", "constructor", ""]) {
    const path = `${PAGE}/add?${new URLSearchParams({ provider: unknown })}`;
    strictEqual((await client.get(path)).headers.get("Location"), PAGE);
    strictEqual((await client.submit(path, {})).headers.get("Location"), PAGE);
  }
  const left = await client.submit(add, {});
  const [, url] = /^0; url=(.+)$/.exec(left.headers.get("Refresh")!)!;
  strictEqual(new URL(url).origin, contoso.issuer);
  contoso.userinfo = person("pages-there");
  const { pathname, search } = contoso.consent(url);
  const path = (await client.get(pathname + search)).headers.get("Location")!;
  match((await page(path)).text, /Connect Contoso\?.*as pages-there@example\.com will/s);
  strictEqual(await confirm(client, path), PAGE);
  match((await page(PAGE)).text, /You can log in with Contoso, as pages-there@example\.com/);
  strictEqual((await client.get(add)).headers.get("Location"), PAGE);
  const remove = `${PAGE}/remove?provider=contoso`;
  match((await page(remove)).text, /Disconnect Contoso\?/);
  strictEqual((await client.get(`${PAGE}/remove?provider=plain`)).headers.get("Location"), PAGE);
  strictEqual((await client.submit(remove, {})).headers.get("Location"), PAGE);
  deepStrictEqual(await identities(client), []);
  strictEqual((await logIn(app.client(), email)).status, 200);
});

Deno.test("“not me” removes the identities of all providers that came later", async () => {
  const client = app.client();
  const early = person("robbed");
  strictEqual(await withContoso(early, client), "/dashboard");
  const [id, email] = [await idOf(client), early.email];
  app.advance(60);
  const alert = { kind: "password_changed", userId: id, client: SOME_CLIENT, now: app.services.now() } as const;
  await db.transaction().execute((trx) => sendAlert(trx, app.services, alert));
  const token = await mailedToken(app, email);
  app.advance(60);
  main.userinfo = person("thief-main");
  strictEqual(await link(client, "default", main), PAGE);
  plain.userinfo = person("thief-plain");
  strictEqual(await link(client, "plain", plain), PAGE);
  strictEqual((await app.client().send("POST", "/auth/not-me", { token })).status, 200);
  const rows = await db.selectFrom("identities").select("provider").where("user_id", "=", id).execute();
  deepStrictEqual(rows, [{ provider: "contoso" }]);
  strictEqual((await signIn(app, main, person("thief-main"))).headers.get("Location"), "/dashboard");
  const { idp_id } = await db.selectFrom("users").select("idp_id").where("id", "=", id).executeTakeFirstOrThrow();
  strictEqual(idp_id, null, "the thief has an account of their own");
});

Deno.test("people of a provider that stops vouching are refused, and nothing changes", async () => {
  const client = app.client();
  strictEqual(await withContoso(person("trusted"), client), "/dashboard");
  const before = await db.selectFrom("identities").selectAll().orderBy("id").execute();
  for (const email_verified of [undefined, false, "false"]) {
    const other = app.client();
    strictEqual(
      await withContoso(person("trusted", { email_verified }), other),
      "/login?error=idp_email&provider=contoso",
    );
    ok(!other.cookies.has("auth_session"));
  }
  deepStrictEqual(await db.selectFrom("identities").selectAll().orderBy("id").execute(), before);
  match(app.logLines.findLast((line) => line.includes("sign-in failed"))!, /nor IDP_CONTOSO_TRUST_EMAIL"/);
  for (
    const [query, name] of [
      ["&provider=contoso", "Contoso"],
      ["&provider=default", "Example"],
      ["", "Example"],
      ["&provider=elsewhere", "The service you chose"],
      ["&provider=constructor", "The service you chose"],
    ]
  ) {
    const { message } = await readPage(app.client().get(`/login?error=idp_email${query}`));
    ok(message!.startsWith(`${name} hasn’t confirmed`), query);
  }
});

Deno.test("a provider that is no longer configured is listed by its key, and can be removed", async () => {
  await using fewer = await openTestApp({ ...main.env, IDP_NAME: "Example" });
  const { client, id } = await registerVerifiedUser(fewer, "leftover@example.com");
  await fewer.services.db.insertInto("identities").values({
    user_id: id,
    provider: "contoso",
    subject: `${contoso.issuer} leftover`,
    email: null,
    linked_at: fewer.services.now(),
  }).execute();
  const [{ id: identityId, ...rest }] = await identities(client);
  deepStrictEqual(rest, { provider: "contoso", name: "contoso", email: "leftover@example.com" });
  strictEqual((await fewer.client().get("/auth/idp/contoso")).status, 404);
  main.userinfo = person("leftover-main");
  strictEqual(await link(client, "default", main), PAGE);
  await fewer.services.db.updateTable("users").set({ password_hash: null }).where("id", "=", id).execute();
  const unlink = (identity: string) => client.request(`${API}/${identity}`, { method: "DELETE" });
  const [, { id: usable }] = await identities(client);
  deepStrictEqual(
    await statusAndCode(await unlink(usable)),
    [409, "LAST_SIGN_IN_METHOD"],
    "the other one opens no session",
  );
  match(
    await (await client.get(PAGE)).text(),
    /your only way to log in\. Add a password before you disconnect Example/,
  );
  strictEqual((await unlink(identityId)).status, 204);
});

Deno.test("what an instance of the previous release writes arrives in the table of identities", async () => {
  const { id } = await registerVerifiedUser(app, "previous@example.com");
  const rows = () =>
    db.selectFrom("identities").select(["provider", "subject", "email", "linked_at"]).where("user_id", "=", id)
      .execute();
  const set = (idp_id: string | null, idp_linked_at: Date | null) =>
    db.updateTable("users").set({ idp_id, idp_linked_at }).where("id", "=", id).execute();
  const now = app.services.now();
  const subject = `${main.issuer} previous`;
  await set(subject, now);
  const copied = { provider: "default", subject, email: null, linked_at: now };
  deepStrictEqual(await rows(), [copied]);
  await db.updateTable("users").set({ name: "Renamed" }).where("id", "=", id).execute();
  deepStrictEqual(await rows(), [copied]);
  const client = app.client();
  const { headers } = await signIn(app, main, person("previous", { email: "elsewhere@example.com" }), client);
  strictEqual(headers.get("Location"), "/dashboard");
  deepStrictEqual([await idOf(client), await rows()], [id, [{ ...copied, email: "elsewhere@example.com" }]]);
  await set(`${subject}-other`, now);
  deepStrictEqual((await rows()).map((row) => row.subject), [`${subject}-other`]);
  await set(null, null);
  deepStrictEqual(await rows(), []);
});
