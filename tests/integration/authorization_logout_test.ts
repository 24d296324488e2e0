import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { HOUR_SECONDS } from "../../lib/duration.ts";
import { isLoggedIn, logIn, registerVerifiedUser } from "../support/app/accounts.ts";
import { connect, openAuthorizationApp } from "../support/app/authorization.ts";
import { answerTo, authorizePath } from "../support/app/authorize_page.ts";
import { html } from "../support/app/page_forms.ts";
import { readPage } from "../support/app/page_reader.ts";
import type { TestClient } from "../support/app/test_client.ts";

/** RP-initiated logout: apps send people to /oauth/logout. */

// A product may have the name of an app.
const app = await openAuthorizationApp({ LOGIN_MAX_ATTEMPTS: "0", TOKEN_AUDIENCES: "wiki" });
const OUT = "https://app.example/out";
const WITH_QUERY = "https://app.example/out?from=foyer";
const registered = app.services.config.registrations!.clients.get("wiki")!;
registered.postLogoutRedirectUris.push(OUT, WITH_QUERY);
app.services.config.registrations!.clients.get("phone")!.postLogoutRedirectUris.push("https://phone.example/out");

/** A person, and the ID token that an app got in their session. */
async function openSession(clientId = "wiki") {
  const { client, id } = await registerVerifiedUser(app, `${crypto.randomUUID()}@example.com`);
  const { id_token: hint, refresh_token } = await connect(app, client, clientId);
  return { client, id, hint, refresh_token };
}

const path = (query: Record<string, string>) => `/oauth/logout?${new URLSearchParams(query)}`;
const target = (response: Response) => response.headers.get("Refresh")?.slice("0; url=".length) ?? null;
const LEAVES = { post_logout_redirect_uri: OUT, state: "a b&c=ü" };
const BACK = `${OUT}?state=a%20b%26c%3D%C3%BC`;

Deno.test("with the ID token of the session, it ends at once, and the app gets its state", async () => {
  const { client, hint, id } = await openSession();
  const response = await client.get(path({ id_token_hint: hint, ...LEAVES }));
  deepStrictEqual([response.status, target(response)], [200, BACK]);
  strictEqual(response.headers.get("Cache-Control"), "no-store");
  ok((await readPage(response)).leadsTo(BACK));
  strictEqual(client.cookies.get("auth_session"), undefined);
  strictEqual(await isLoggedIn(client), false);
  strictEqual((await app.services.db.selectFrom("grants").select("id").where("user_id", "=", id).execute()).length, 0);
  const events = await app.services.db.selectFrom("events").select("details").where("user_id", "=", id)
    .where("kind", "=", "session.ended").execute();
  deepStrictEqual(events.map(({ details }) => details.reason), ["logout"]);
});

Deno.test("an ID token that has expired still counts, and the address may have a query", async () => {
  const { client, hint } = await openSession("wiki");
  app.advance(2 * HOUR_SECONDS);
  const response = await client.get(path({ id_token_hint: hint, post_logout_redirect_uri: WITH_QUERY, state: "x" }));
  strictEqual(target(response), `${WITH_QUERY}&state=x`);
  strictEqual(await isLoggedIn(client), false);
});

Deno.test("without an address, the page says that the person has logged out", async () => {
  const { client, hint } = await openSession();
  const page = await readPage(client.get(path({ id_token_hint: hint })));
  strictEqual(page.heading, "You’ve logged out");
  deepStrictEqual(page.findAll("#account-menu"), [], "the header knows no one");
  strictEqual(await isLoggedIn(client), false);
});

Deno.test("an offline grant outlives the session", async () => {
  const { client, hint, id } = await openSession("portal");
  await client.get(path({ id_token_hint: hint }));
  strictEqual(await isLoggedIn(client), false);
  strictEqual((await app.services.db.selectFrom("grants").select("id").where("user_id", "=", id).execute()).length, 1);
});

/**
 * Requests that do not prove that the app knows the session, and whether its address counts after the person agreed.
 */
const ASKING: Record<string, { query(hints: Hints): Record<string, string>; back: string | null }> = {
  "nothing": { query: () => ({}), back: null },
  "an address alone": { query: () => LEAVES, back: null },
  "a client": { query: () => ({ client_id: "wiki", ...LEAVES }), back: BACK },
  "a client, and the address of another one": {
    query: () => ({ client_id: "phone", ...LEAVES }),
    back: null,
  },
  "a client that does not exist": { query: () => ({ client_id: "nobody", ...LEAVES }), back: null },
  "the hint of another person": { query: ({ foreign }) => ({ id_token_hint: foreign, ...LEAVES }), back: BACK },
  "the hint of another session": { query: ({ other }) => ({ id_token_hint: other, ...LEAVES }), back: BACK },
  "a hint that contradicts the client": {
    query: ({ own }) => ({ id_token_hint: own, client_id: "phone", ...LEAVES }),
    back: null,
  },
  "a changed hint": { query: ({ own }) => ({ id_token_hint: changed(own), client_id: "wiki", ...LEAVES }), back: null },
  "a hint that is none": { query: () => ({ id_token_hint: "x", client_id: "wiki", ...LEAVES }), back: null },
  "an access token": { query: ({ access }) => ({ id_token_hint: access, ...LEAVES }), back: null },
  "a token for a product": { query: ({ product }) => ({ id_token_hint: product, ...LEAVES }), back: null },
};

interface Hints {
  own: string;
  other: string;
  foreign: string;
  access: string;
  product: string;
}

/** A token of /auth/token, for a product with the name of an app. */
async function productToken(client: TestClient): Promise<string> {
  return (await (await client.send("POST", "/auth/token", { audience: "wiki" })).json()).accessToken;
}

/** Changes the signature of a token. */
function changed(token: string): string {
  const [head, payload, signature] = token.split(".");
  return [head, payload, (signature[0] === "A" ? "B" : "A") + signature.slice(1)].join(".");
}

for (const [name, { query, back }] of Object.entries(ASKING)) {
  Deno.test(`${name}: a page asks, and leads ${back === null ? "nowhere" : "back"}`, async () => {
    const email = `${crypto.randomUUID()}@example.com`;
    const { client } = await registerVerifiedUser(app, email, "Ada & <Lovelace>");
    const { client: elsewhere } = await registerVerifiedUser(app, `${crypto.randomUUID()}@example.com`);
    const { id_token: foreign } = await connect(app, elsewhere, "wiki");
    const otherBrowser = app.client();
    await logIn(otherBrowser, email);
    const { id_token: other } = await connect(app, otherBrowser, "wiki");
    const { id_token: own, access_token: access } = await connect(app, client, "wiki");
    const product = await productToken(client);
    const request = path(query({ own, other, foreign, access, product }));
    const asked = await readPage(client.get(request));
    strictEqual(asked.heading, "Log out of Foyer?");
    match(asked.text, /Ada & <Lovelace>/);
    strictEqual(asked.link("Stay logged in").href, "/dashboard");
    strictEqual(await isLoggedIn(client), true);
    const done = await client.submit(request, { answer: "logout" });
    strictEqual(await isLoggedIn(client), false);
    strictEqual(target(done), back);
    if (back === null) {
      strictEqual(done.headers.get("Location"), "/oauth/logout");
      match(await html(client, "/oauth/logout"), /You’ve logged out/);
    }
  });
}

Deno.test("another person's token for a product is not accepted as a hint at /oauth/authorize", async () => {
  const { client } = await openSession();
  const { client: elsewhere, hint } = await openSession();
  const answer = async (id_token_hint: string) =>
    await answerTo(await client.get(authorizePath("wiki", { prompt: "none", id_token_hint })));
  strictEqual((await answer(hint)).error, "login_required");
  ok((await answer(await productToken(elsewhere))).code);
});

Deno.test("without a session, a valid address is left for at once, and no other", async () => {
  const { hint } = await openSession();
  const guest = app.client();
  strictEqual(target(await guest.get(path({ client_id: "wiki", ...LEAVES }))), BACK);
  strictEqual(target(await guest.get(path({ id_token_hint: hint, ...LEAVES }))), BACK);
  const wrong: Record<string, string>[] = [
    LEAVES,
    { client_id: "wiki", post_logout_redirect_uri: `${OUT}/` },
    { client_id: "wiki", post_logout_redirect_uri: `${OUT}#x` },
    { client_id: "wiki", post_logout_redirect_uri: "https://app.example/../out" },
    { client_id: "wiki", post_logout_redirect_uri: "HTTPS://app.example/out" },
    { client_id: "wiki", post_logout_redirect_uri: "https://app.example/callback" },
    { client_id: "wiki", id_token_hint: changed(hint), ...LEAVES },
    { client_id: "phone", id_token_hint: hint, ...LEAVES },
    { client_id: "phone", id_token_hint: hint, post_logout_redirect_uri: "https://phone.example/out" },
  ];
  for (const query of wrong) {
    const response = await guest.get(path(query));
    deepStrictEqual([response.status, target(response)], [200, null], JSON.stringify(query));
    match(await response.text(), /You’ve logged out/);
  }
});

Deno.test("a repeated parameter leads nowhere, and a repeated state is left out", async () => {
  const { hint } = await openSession();
  const guest = app.client();
  const request = path({ client_id: "wiki", id_token_hint: hint, ...LEAVES });
  for (
    const again of ["client_id=wiki", `id_token_hint=${hint}`, `post_logout_redirect_uri=${encodeURIComponent(OUT)}`]
  ) {
    strictEqual(target(await guest.get(`${request}&${again}`)), null, again.slice(0, 10));
  }
  strictEqual(target(await guest.get(`${request}&state=x`)), OUT);
  strictEqual(target(await guest.get(path({ client_id: "wiki", post_logout_redirect_uri: OUT, state: "" }))), OUT);
});

Deno.test("a client that left the file leads nowhere, and its ID token ends nothing", async () => {
  const { client, hint } = await openSession();
  const clients = app.services.config.registrations!.clients as Map<string, unknown>;
  clients.delete("wiki");
  match(await html(client, path({ id_token_hint: hint, ...LEAVES })), /Log out of Foyer\?/);
  clients.set("wiki", registered);
  strictEqual(await isLoggedIn(client), true);
});

Deno.test("a form of another site becomes a query with the known fields, and cannot press the button", async () => {
  const { client, hint } = await openSession();
  const send = (fields: Record<string, string>, headers: HeadersInit) =>
    client.request(path({ id_token_hint: hint }), { method: "POST", body: new URLSearchParams(fields), headers });
  const foreign = { Origin: "https://app.example", "Sec-Fetch-Site": "cross-site" };
  const sent = await send({ id_token_hint: hint, ...LEAVES, other: "x" }, foreign);
  deepStrictEqual([sent.status, sent.headers.get("Location")], [303, path({ id_token_hint: hint, ...LEAVES })]);
  strictEqual((await send({ answer: "logout" }, foreign)).status, 403);
  strictEqual((await send({ answer: "logout" }, { Origin: "null" })).status, 403);
  strictEqual((await send({}, foreign)).headers.get("Location"), "/oauth/logout");
  strictEqual((await client.send("POST", "/oauth/logout", {})).status, 415);
  strictEqual(await isLoggedIn(client), true);
});

Deno.test("a link from another site hops once", async () => {
  const { client, hint } = await openSession();
  const token = client.cookies.get("auth_session")!;
  const request = path({ id_token_hint: hint, ...LEAVES });
  client.cookies.delete("auth_session");
  const crossSite = { "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate" };
  const hopped = await client.get(request, crossSite);
  strictEqual(hopped.headers.get("Refresh"), "0");
  client.cookies.set("auth_session", token);
  strictEqual(target(await client.get(request, { "Sec-Fetch-Site": "same-origin" })), BACK);
  strictEqual(await isLoggedIn(client), false);
  strictEqual(client.cookies.get("same_site_hop"), undefined);
});

Deno.test("HEAD and a page that is loaded in advance end nothing", async () => {
  const { client, hint } = await openSession();
  const request = path({ id_token_hint: hint, ...LEAVES });
  const head = await client.request(request, { method: "HEAD" });
  deepStrictEqual([head.status, head.headers.get("Allow")], [405, "GET, POST, OPTIONS"]);
  for (const value of ["prefetch", "prefetch;prerender"]) {
    match(await (await client.get(request, { "Sec-Purpose": value })).text(), /Log out of Foyer\?/);
  }
  strictEqual((await client.request(request, { method: "OPTIONS" })).headers.get("Allow"), "GET, POST, OPTIONS");
  strictEqual((await client.request(request, { method: "PUT" })).status, 405);
  strictEqual(await isLoggedIn(client), true);
});

Deno.test("the second click of a double click leads to the app too", async () => {
  const { client } = await openSession();
  const request = path({ client_id: "wiki", ...LEAVES });
  const clicks = await Promise.all([1, 2].map(() => client.submit(request, { answer: "logout" })));
  deepStrictEqual(clicks.map(target), [BACK, BACK]);
});

Deno.test("the page is in the language that the app asks for, unless the person has chosen one", async () => {
  const { client, hint } = await openSession();
  match(await html(client, path({ ui_locales: "xx de-AT" })), /Von Foyer abmelden\?/);
  strictEqual((await readPage(app.client().get(path({ ui_locales: "ar" })))).language, "ar");
  const left = await readPage(client.get(path({ id_token_hint: hint, ui_locales: "de", ...LEAVES })));
  strictEqual(left.link("Zurück zu The wiki").href, BACK);
  const { client: other } = await openSession();
  strictEqual((await other.send("PUT", "/api/profile", { language: "en" })).status, 200);
  match(await html(other, path({ ui_locales: "de" })), /Log out of Foyer\?/);
  const done = await other.submit(path({ ui_locales: "de" }), { answer: "logout" });
  strictEqual(done.headers.get("Location"), "/oauth/logout?ui_locales=de");
});
