import { deepStrictEqual, doesNotMatch, match, ok, strictEqual } from "node:assert/strict";
import { registerVerifiedUser } from "../support/app/accounts.ts";
import { client, exchange, NOTES, openAuthorizationApp, REDIRECT_URI, tokensIn } from "../support/app/authorization.ts";
import {
  answerTo,
  authorizePath,
  codeIn,
  formOf,
  movedAnswer,
  openPage,
  press,
} from "../support/app/authorize_page.ts";
import { Page, readPage } from "../support/app/page_reader.ts";
import { openTestInstance } from "../support/app/test_app.ts";
import type { TestClient } from "../support/app/test_client.ts";

/** What people agree to, and that each agreement is theirs. */

const OWN_SCHEME = "com.example.app:/callback";
const LOOPBACK = "http://127.0.0.1/callback";
/** A resource with the scopes of NOTES. */
const DRAFTS = "https://drafts.example";
const DEVICE_URIS = { redirect_uris: [OWN_SCHEME, LOOPBACK, REDIRECT_URI] };
const app = await openAuthorizationApp({ LOGIN_MAX_ATTEMPTS: "0" }, [
  client("device", DEVICE_URIS),
  client("tool", { ...DEVICE_URIS, first_party: true }),
  client("links", {
    client_uri: "https://app.example/about",
    policy_uri: "https://app.example/privacy",
    tos_uri: "https://app.example/terms",
  }),
  client("desk", { scope: "openid offline_access notes:read notes:write", resources: [NOTES, DRAFTS] }),
], [{ resource: DRAFTS, name: "Drafts", scopes: { "notes:read": "See your drafts", "notes:write": "Edit drafts" } }]);
const { db } = app.services;
let people = 0;

async function newPerson(): Promise<TestClient> {
  return (await registerVerifiedUser(app, `consent-${people++}@example.com`)).client;
}

async function allow(person: TestClient, path: string, redirectUri = REDIRECT_URI) {
  return await movedAnswer(await press(app, person, await openPage(person, path), "allow"), redirectUri);
}

Deno.test("the page says who asks, who is asked, where it leads, and each scope in words", async () => {
  const person = await newPerson();
  const scope = "openid profile email offline_access profile:read notes:read";
  const page = await openPage(person, authorizePath("phone", { scope, resource: NOTES }));
  const said = [
    "Log in to The phone?",
    "Ada Lovelace",
    "consent-0@example.com",
    "You’ll return to app.example.",
    "Know who you are",
    "See your name, photo and website",
    "See your email address",
    "Stay connected after you log out",
    "Read your profile",
    "Notes: See your notes",
    "The phone can do this at any time, also when you’re not using it.",
  ];
  for (const text of said) ok(page.includes(text), text);
  deepStrictEqual(
    new Set(new Page(page).findAll("script[src]").map((script) => script.getAttribute("src")!.split("?")[0])),
    new Set(["/forms.js"]),
    "it needs no other script",
  );
  const session = await openPage(person, authorizePath("wiki"));
  doesNotMatch(session, /when you’re not using it/);
  match(await openPage(person, authorizePath("phone", { resource: NOTES })), /Use Notes for you/);
  const linked = new Page(await openPage(person, authorizePath("links")));
  for (const path of ["about", "privacy", "terms"]) ok(linked.leadsTo(`https://app.example/${path}`), path);
});

Deno.test("someone is asked again for a further scope or resource, and with prompt=consent", async () => {
  const person = await newPerson();
  await allow(person, authorizePath("phone"));
  codeIn(answerTo(await person.get(authorizePath("phone"))), "phone");
  for (
    const changes of [{ scope: "openid email" }, { resource: NOTES }, { prompt: "consent" }] as Record<string, string>[]
  ) {
    await allow(person, authorizePath("phone", changes));
  }
  codeIn(answerTo(await person.get(authorizePath("phone", { scope: "email", resource: NOTES }))), "phone");
  match(await openPage(person, authorizePath("phone", { scope: "openid profile" })), /Log in to The phone/);
});

/** The request of an app for one scope of a resource. */
function pathTo(resource: string, scope: string): string {
  return authorizePath("desk", { resource, scope });
}

Deno.test("a scope that someone allows at one resource is asked for at another", async () => {
  const person = await newPerson();
  await allow(person, pathTo(NOTES, "notes:read"));
  await allow(person, pathTo(DRAFTS, "notes:write"));
  for (const [resource, scope] of [[DRAFTS, "notes:read"], [NOTES, "notes:write"]]) {
    strictEqual(answerTo(await person.get(`${pathTo(resource, scope)}&prompt=none`)).error, "consent_required");
  }
  for (const [resource, scope] of [[NOTES, "notes:read"], [DRAFTS, "notes:write"]]) {
    codeIn(answerTo(await person.get(pathTo(resource, scope))), "desk");
  }
  await allow(person, pathTo(DRAFTS, "notes:read"));
  codeIn(answerTo(await person.get(pathTo(DRAFTS, "notes:read notes:write"))), "desk");
});

Deno.test("someone sees at which resource an app has which scope", async () => {
  const { client: person, id } = await registerVerifiedUser(app, "pairs@example.com");
  await allow(person, pathTo(NOTES, "openid notes:read"));
  await allow(person, pathTo(DRAFTS, "notes:write"));
  const page = await openPage(person, "/settings/apps");
  for (const text of ["Notes: See your notes", "Drafts: Edit drafts", "Know who you are"]) {
    ok(page.includes(text), text);
  }
  for (const text of ["Change them", "See your drafts", "notes:"]) ok(!page.includes(text), text);
  const resources = [{ resource: NOTES, scopes: ["notes:read"] }, { resource: DRAFTS, scopes: ["notes:write"] }];
  const { data: [listed] } = await (await person.get("/api/account/apps")).json();
  deepStrictEqual([listed.scopes, listed.resource], [["openid", "notes:read", "notes:write"], DRAFTS]);
  deepStrictEqual(listed.resources, resources);
  const exported = await (await person.get("/api/account/export")).json();
  deepStrictEqual(exported.consents.map((consent: { resources: unknown }) => consent.resources), [resources]);
  const alerts = await db.selectFrom("events").select("details").where("user_id", "=", id)
    .where("kind", "=", "app.authorized").execute();
  strictEqual(alerts.length, 2);
});

Deno.test("the same scope at another resource is worth an email", async () => {
  const { client: person, email } = await registerVerifiedUser(app, "pair-alert@example.com");
  const alerts = async () => {
    await app.deliverMails();
    return app.mails.filter(({ to, subject }) => to === email && subject.includes("The desk")).length;
  };
  await allow(person, pathTo(NOTES, "notes:read"));
  strictEqual(await alerts(), 1);
  await allow(person, pathTo(DRAFTS, "notes:read"));
  strictEqual(await alerts(), 2);
  await allow(person, `${pathTo(DRAFTS, "notes:read")}&prompt=consent`);
  strictEqual(await alerts(), 2);
});

Deno.test("where it is not known at which resource a scope was allowed, people are asked again", async () => {
  const { client: person, id } = await registerVerifiedUser(app, "unpaired@example.com");
  await allow(person, pathTo(NOTES, "openid notes:read"));
  await allow(person, pathTo(DRAFTS, "notes:write"));
  await db.updateTable("consents").set({ resource_scopes: [] }).where("user_id", "=", id).execute();
  const page = await openPage(person, "/settings/apps");
  for (const text of ["notes:read", "notes:write", "Use Notes for you", "Use Drafts for you"]) {
    ok(page.includes(text), text);
  }
  codeIn(answerTo(await person.get(authorizePath("desk", { scope: "openid" }))), "desk");
  await allow(person, pathTo(NOTES, "notes:read"));
  match(await openPage(person, pathTo(DRAFTS, "notes:write")), /Log in to The desk/);
});

Deno.test("where any program on the device can take the answer, people are always asked", async () => {
  const person = await newPerson();
  for (const redirect_uri of [OWN_SCHEME, LOOPBACK, "http://127.0.0.1:49152/callback"]) {
    const path = authorizePath("device", { redirect_uri });
    match(await openPage(person, path), /You’ll return to an app on this device/);
    for (let i = 0; i < 2; i++) {
      const answer = await allow(person, path, redirect_uri);
      await tokensIn(exchange(app, codeIn(answer, "device"), { redirect_uri }));
    }
    const silent = answerTo(await person.get(`${path}&prompt=none`), redirect_uri);
    strictEqual(silent.error, "consent_required");
  }
  codeIn(answerTo(await person.get(authorizePath("device"))), "device");
});

Deno.test("apps of the operator ask for nothing at https, and elsewhere with one button", async () => {
  const person = await newPerson();
  for (const prompt of [undefined, "consent"]) {
    codeIn(answerTo(await person.get(authorizePath("tool", { prompt }))), "tool");
  }
  const path = authorizePath("tool", { redirect_uri: LOOPBACK });
  const page = new Page(await openPage(person, path));
  deepStrictEqual(page.buttons.map(({ text }) => text), ["Continue to The tool"]);
  match(page.text, /You’ll return to an app on this device/);
  await allow(person, path, LOOPBACK);
  match(await openPage(person, path), /Continue to The tool/);
});

Deno.test("a form is refused for someone else, from another site, and to an address that is not the app's", async () => {
  const [ada, bob] = [await newPerson(), await newPerson()];
  const page = await openPage(ada, authorizePath("wiki"));
  const before = await countRows();
  for (const answer of ["allow", "cancel", "continue", "other"]) {
    const response = await press(app, bob, page, answer);
    deepStrictEqual([response.status, response.headers.get("Location"), response.headers.get("Refresh")], [
      403,
      null,
      null,
    ]);
  }
  strictEqual((await bob.get("/auth/check")).ok, true, "bob is still logged in");
  const { action, fields } = formOf(page);
  const send = (path: string, more: Record<string, string>, headers: Record<string, string>) =>
    ada.request(path, { method: "POST", body: new URLSearchParams({ ...fields, ...more, answer: "allow" }), headers });
  const own = { Origin: app.services.config.baseUrl };
  const foreign = [{ Origin: "https://app.example" }, { Origin: "null" }, { "Sec-Fetch-Site": "cross-site" }];
  for (const headers of foreign) strictEqual((await send(action, {}, headers as never)).status, 403);
  strictEqual((await send(action, { user: "" }, own)).status, 403);
  const elsewhere = action.replace(encodeURIComponent(REDIRECT_URI), encodeURIComponent("https://evil.example/"));
  strictEqual((await send(elsewhere, {}, own)).status, 400);
  deepStrictEqual(await countRows(), before);
  codeIn(await movedAnswer(await send(action, {}, own)), "wiki");
});

Deno.test("someone whose session has ended before the answer logs in, and is asked again", async () => {
  const person = await newPerson();
  const page = await openPage(person, authorizePath("wiki"));
  await person.request("/auth/logout", { method: "POST" });
  const before = await countRows();
  const again = (await press(app, person, page, "allow")).headers.get("Location")!;
  match((await person.get(again)).headers.get("Location")!, /^\/login\?next=/);
  strictEqual((await movedAnswer(await press(app, person, page, "cancel"))).error, "access_denied");
  deepStrictEqual(await countRows(), before);
});

Deno.test("twenty clicks at once, on two instances, make one code; twenty pages make one consent", async () => {
  await using other = await openTestInstance(app);
  const person = await newPerson();
  const second = other.client();
  for (const [name, value] of person.cookies) second.cookies.set(name, value);
  const page = await openPage(person, authorizePath("wiki"));
  const before = await countRows();
  const clicks = Array.from({ length: 20 }, (_, i) => press(app, i % 2 === 0 ? person : second, page, "allow"));
  const codes = await Promise.all(clicks.map(async (click) => (await movedAnswer(await click)).code));
  strictEqual(new Set(codes).size, 1);
  deepStrictEqual(await countRows(), { grants: before.grants + 1, consents: before.consents + 1 });
  await tokensIn(exchange(app, codeIn({ code: codes[0] }, "wiki")));

  const pages = await Promise.all(Array.from({ length: 20 }, () => openPage(person, authorizePath("es256"))));
  const answers = await Promise.all(pages.map((each, i) => press(app, i % 2 === 0 ? person : second, each, "allow")));
  strictEqual(new Set(await Promise.all(answers.map(async (answer) => (await movedAnswer(answer)).code))).size, 20);
  deepStrictEqual(await countRows(), { grants: before.grants + 21, consents: before.consents + 2 });
});

Deno.test("pages are in the language that the app asks for, unless the person has chosen one", async () => {
  const person = await newPerson();
  const path = authorizePath("wiki", { ui_locales: "xx de-AT ar" });
  const page = new Page(await openPage(person, path));
  deepStrictEqual([page.language, page.heading], ["de", "Bei The wiki anmelden?"]);
  const languageAt = async (client: TestClient, path: string) => (await readPage(client.get(path))).language;
  const guest = app.client();
  const login = (await guest.get(path)).headers.get("Location")!;
  strictEqual(await languageAt(guest, login), "de");
  const chosen = app.client();
  chosen.cookies.set("language", "ar");
  const arabic = (await chosen.get(path)).headers.get("Location")!;
  strictEqual(await languageAt(chosen, arabic), "ar");
  strictEqual((await person.send("PUT", "/api/profile", { language: "en" })).status, 200);
  strictEqual(await languageAt(person, path), "en");
});

async function countRows(): Promise<{ grants: number; consents: number }> {
  const count = async (table: "grants" | "consents") =>
    Number((await db.selectFrom(table).select((eb) => eb.fn.countAll().as("count")).executeTakeFirstOrThrow()).count);
  return { grants: await count("grants"), consents: await count("consents") };
}
