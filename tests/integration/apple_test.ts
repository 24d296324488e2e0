import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { MINUTE_SECONDS } from "../../lib/duration.ts";
import { registerVerifiedUser } from "../support/app/accounts.ts";
import { readPage } from "../support/app/page_reader.ts";
import { openSharedTestApp, openTestInstance } from "../support/app/test_app.ts";
import { outcomeOf, type TestClient, withCookies } from "../support/app/test_client.ts";
import { markupProblems } from "../support/browser/markup.ts";
import { type ApplePerson, type ApplePost, startFakeApple } from "../support/providers/fake_apple.ts";
import { startFalseProvider } from "../support/providers/false_provider.ts";
import { consentScreen, envOf } from "../support/providers/idp.ts";

const [apple, contoso] = [await startFakeApple(), await startFalseProvider()];
Deno.test.afterAll(async () => {
  for (const provider of [apple, contoso]) await provider[Symbol.asyncDispose]();
});
const app = await openSharedTestApp({
  IDP_PROVIDERS: "apple contoso",
  ...apple.env,
  ...envOf("contoso", contoso.env),
  LOGIN_MAX_ATTEMPTS: "0",
});
apple.now = () => app.services.now();
const { db } = app.services;
const CALLBACK = "/auth/idp/apple/callback";
/** What browsers send with a form of another site. They send no cookies that are Lax. */
const FROM_APPLE = {
  "Origin": "https://appleid.apple.com",
  "Sec-Fetch-Site": "cross-site",
  "Sec-Fetch-Mode": "navigate",
  "Sec-Fetch-Dest": "document",
};

/** Sends a form as a browser does that comes from Apple: without its cookies, which it keeps. */
async function post(client: TestClient, { path, fields }: ApplePost, headers: HeadersInit = FROM_APPLE) {
  const bare = app.client();
  const response = await bare.request(path, { method: "POST", body: new URLSearchParams(fields), headers });
  withCookies(client, bare);
  return response;
}

/** Signs a person in and returns the address to which the callback redirects. */
async function signInWith(person: ApplePerson, client = app.client(), path = "/auth/idp/apple") {
  apple.person = person;
  const posted = await post(client, apple.consent(await consentScreen(client, path)));
  strictEqual(posted.status, 303, await posted.text());
  return (await client.get(posted.headers.get("Location")!)).headers.get("Location");
}

async function accountOf(client: TestClient) {
  return (await (await client.get("/api/account")).json()).data;
}

/** A person of whom Apple tells name and address. */
function person(sub: string, more: Partial<ApplePerson> = {}): ApplePerson {
  return {
    sub: `001234.${sub}`,
    name: { firstName: "Ada", lastName: "Lovelace" },
    email: `${sub}@example.com`,
    email_verified: "true",
    ...more,
  };
}

Deno.test("a sign-in with Apple ends where it began, with a secret that is signed for it alone", async () => {
  const client = app.client();
  strictEqual(await signInWith(person("ada"), client, "/auth/idp/apple?next=%2Fuploads"), "/uploads");
  const { email, emailVerified, name, session } = await accountOf(client);
  deepStrictEqual([email, emailVerified, name, session.method], ["ada@example.com", true, "Ada Lovelace", "idp"]);
  app.advance(1);
  strictEqual(await signInWith(person("ada")), "/dashboard");
  deepStrictEqual([apple.refusals, new Set(apple.secrets).size], [[], 2]);
});

Deno.test("the form gets a redirect to the state alone, and the rest is kept sealed", async () => {
  apple.person = person("sealed");
  const client = app.client();
  const form = apple.consent(await consentScreen(client, "/auth/idp/apple"));
  strictEqual(form.path, CALLBACK);
  const posted = await post(client, form);
  deepStrictEqual([posted.status, posted.headers.get("Location")], [
    303,
    `${CALLBACK}?state=${encodeURIComponent(form.fields.state)}`,
  ]);
  const cookies = posted.headers.getSetCookie();
  strictEqual(cookies.length, 1);
  match(cookies[0], /^idp_answer=[^;\s]+; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax$/);
  for (const secret of [form.fields.code, "Lovelace", form.fields.state]) {
    ok(!decodeURIComponent(cookies[0]).includes(secret), secret);
  }
  strictEqual((await client.get(posted.headers.get("Location")!)).headers.get("Location"), "/dashboard");
  deepStrictEqual([...client.cookies.keys()].filter((name) => name === "idp_answer"), []);
  strictEqual(await outcomeOf(client.get(posted.headers.get("Location")!)), "400 INVALID_STATE", "once");
});

Deno.test("the name is taken once, and kept when Apple no longer tells it", async () => {
  const client = app.client();
  await signInWith(person("once"), client);
  await client.send("PUT", "/api/profile", { name: "Countess" });
  await signInWith(person("once"), app.client());
  apple.revoke(person("once").sub);
  await signInWith(person("once"), client);
  strictEqual((await accountOf(client)).name, "Countess");
});

const NAMES: [what: string, name: ApplePerson["name"], expected: string][] = [
  ["no name", undefined, "New user"],
  ["an empty name", { firstName: "", lastName: " " }, "New user"],
  ["a first name only", { firstName: "Zoë" }, "Zoë"],
  ["a name that is too long", { firstName: "x".repeat(300), lastName: "y" }, "x".repeat(100)],
  ["a name that turns the text", { firstName: "Ada\u202e", lastName: "\u0000evil" }, "Ada evil"],
];
for (const [what, name, expected] of NAMES) {
  Deno.test(`an account of a person of whom Apple tells ${what}`, async () => {
    const client = app.client();
    strictEqual(await signInWith(person(`name-${what.replaceAll(" ", "-")}`, { name }), client), "/dashboard");
    strictEqual((await accountOf(client)).name, expected);
  });
}

Deno.test("nothing but the name counts in what is not signed", async () => {
  const { email } = await registerVerifiedUser(app, "victim@example.com");
  apple.person = person("unsigned");
  const client = app.client();
  const { path, fields } = apple.consent(await consentScreen(client, "/auth/idp/apple"));
  for (const user of ["not JSON", "[]", "null", '{"name":"text"}', JSON.stringify({ email, name: { firstName: 7 } })]) {
    const posted = await post(client, { path, fields: { ...fields, user } });
    strictEqual(posted.status, 303, user);
  }
  await client.get(`${path}?state=${encodeURIComponent(fields.state)}`);
  const account = await accountOf(client);
  deepStrictEqual([account.email, account.name], ["unsigned@example.com", "New user"]);
});

Deno.test("Apple vouches for an address in words, also for one that forwards, and otherwise nobody gets in", async () => {
  const relay = "x7k2@privaterelay.appleid.com";
  const hidden = app.client();
  strictEqual(await signInWith(person("hidden", { email: relay, is_private_email: "true" }), hidden), "/dashboard");
  strictEqual((await accountOf(hidden)).email, relay);
  strictEqual(await signInWith(person("said", { email_verified: true })), "/dashboard");
  const refused = "/login?error=idp_email&provider=apple";
  for (
    const [sub, more] of [
      ["denied", { email_verified: "false" }],
      ["silent", { email_verified: undefined }],
      ["no-address", { email: undefined }],
    ] as const
  ) {
    strictEqual(await signInWith(person(sub, more)), refused, sub);
  }
});

Deno.test("canceling at Apple ends on the login page", async () => {
  const client = app.client();
  const posted = await post(client, apple.cancel(await consentScreen(client, "/auth/idp/apple")));
  const response = await client.get(posted.headers.get("Location")!);
  strictEqual(response.headers.get("Location"), "/login?error=cancelled&provider=apple");
});

Deno.test("a form for a state that is not ours changes nothing", async () => {
  const start = async () => apple.consent(await consentScreen(app.client(), "/auth/idp/apple"));
  apple.person = person("unknown");
  const { path, fields } = await start();
  const foreign = new URL(await consentScreen(app.client(), "/auth/idp/contoso")).searchParams.get("state")!;
  const { state } = fields;
  const flipped = state[9] === "A" ? "B" : "A";
  const wrong: Record<string, string>[] = [
    { ...fields, state: "" },
    { ...fields, state: "x".repeat(75) },
    { ...fields, state: state.slice(0, 9) + flipped + state.slice(10) },
    { ...fields, state: `${state}A` },
    { ...fields, state: foreign },
    { ...fields, state: "x".repeat(50_000) },
    { ...fields, code: "c".repeat(1025) },
    { ...fields, user: "u".repeat(4097) },
    { state, error: "e".repeat(129) },
    { code: fields.code },
    {},
  ];
  const tables = ["provider_attempts", "spent_challenges", "identities", "users", "events"] as const;
  const count = async () =>
    await Promise.all(tables.map(async (table) => (await db.selectFrom(table).selectAll().execute()).length));
  const before = await count();
  for (const each of wrong) {
    const response = await post(app.client(), { path, fields: each });
    deepStrictEqual(response.headers.getSetCookie(), []);
    strictEqual(await outcomeOf(response), "400 INVALID_STATE", JSON.stringify(each).slice(0, 200));
  }
  const twice = new URLSearchParams([...Object.entries(fields), ["state", state]]);
  const doubled = await app.client().request(path, { method: "POST", body: twice, headers: FROM_APPLE });
  strictEqual(await outcomeOf(doubled), "400 INVALID_STATE");
  deepStrictEqual(await count(), before);
  const page = await readPage(post(app.client(), { path, fields: {} }, { ...FROM_APPLE, Accept: "text/html" }));
  strictEqual(page.heading, "Your login attempt has expired");
  deepStrictEqual(await markupProblems(page.html), []);

  const late = await start();
  app.advance(10 * MINUTE_SECONDS + 1);
  strictEqual(await outcomeOf(post(app.client(), late)), "400 INVALID_STATE", "after ten minutes");
});

Deno.test("an answer without a form, or with too much of it, is refused", async () => {
  apple.person = person("bodies");
  const { path, fields } = apple.consent(await consentScreen(app.client(), "/auth/idp/apple"));
  const send = async (body: BodyInit, type: string) =>
    (await app.client().request(path, { method: "POST", body, headers: { ...FROM_APPLE, "Content-Type": type } }))
      .status;
  strictEqual(await send(JSON.stringify(fields), "application/json"), 415);
  strictEqual(await send("state=%ff", "application/x-www-form-urlencoded"), 400);
  strictEqual(await send(`user=${"u".repeat(70_000)}`, "application/x-www-form-urlencoded"), 413);
});

Deno.test("a form opens nothing in a browser that has not started the sign-in", async () => {
  apple.person = person("attacker");
  const attacker = app.client();
  const form = apple.consent(await consentScreen(attacker, "/auth/idp/apple"));
  const victim = app.client();
  await consentScreen(victim, "/auth/idp/apple");
  const posted = await post(victim, form);
  strictEqual(posted.status, 303);
  strictEqual(await outcomeOf(victim.get(posted.headers.get("Location")!)), "400 INVALID_STATE");
  strictEqual(victim.cookies.has("auth_session"), false);
});

Deno.test("what Apple would post does not count in the query", async () => {
  apple.person = person("query");
  const client = app.client();
  const { path, fields } = apple.consent(await consentScreen(client, "/auth/idp/apple"));
  const { state, code } = fields;
  const response = await client.get(`${path}?${new URLSearchParams({ state, code })}`);
  strictEqual(response.headers.get("Location"), "/login?error=idp_failed&provider=apple");
});

Deno.test("an answer to one attempt is none to another", async () => {
  apple.person = person("mixed");
  const client = app.client();
  const first = apple.consent(await consentScreen(client, "/auth/idp/apple"));
  const second = apple.consent(await consentScreen(client, "/auth/idp/apple"));
  await post(client, first);
  const response = await client.get(`${CALLBACK}?state=${encodeURIComponent(second.fields.state)}`);
  strictEqual(response.headers.get("Location"), "/login?error=idp_failed&provider=apple");
  strictEqual(client.cookies.has("idp_answer"), false);
});

Deno.test("only this route accepts a form of another site, and only while Apple is configured", async () => {
  const fields = { state: "x" };
  for (const path of ["/auth/idp/contoso/callback", "/auth/idp/callback", "/auth/idp/apple", "/auth/logout"]) {
    strictEqual(await outcomeOf(post(app.client(), { path, fields })), "403 FORBIDDEN", path);
  }
  const frame = { ...FROM_APPLE, "Sec-Fetch-Dest": "iframe" };
  strictEqual(await outcomeOf(post(app.client(), { path: CALLBACK, fields }, frame)), "403 FORBIDDEN");
  await using without = await openTestInstance(app, (services) => ({ ...services, providers: new Map() }));
  const form = { method: "POST", body: new URLSearchParams(fields), headers: FROM_APPLE };
  strictEqual(await outcomeOf(without.client().request(CALLBACK, form)), "404 IDP_NOT_CONFIGURED");
});

Deno.test("someone adds Apple to their account", async () => {
  const { client } = await registerVerifiedUser(app, "linker@example.com");
  apple.person = person("linked", { email: "x9@privaterelay.appleid.com" });
  const started = await client.submit("/settings/sign-in-methods/add?provider=apple", {});
  const screen = /https?:\/\/localhost[^"\s]+/.exec(started.headers.get("Refresh") ?? await started.text())![0]
    .replaceAll("&amp;", "&");
  const posted = await post(client, apple.consent(screen));
  const confirm = (await client.get(posted.headers.get("Location")!)).headers.get("Location")!;
  match(confirm, /^\/settings\/sign-in-methods\/confirm\?token=/);
});
