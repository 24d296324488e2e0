import { deepStrictEqual, doesNotMatch, match, ok, strictEqual } from "node:assert/strict";
import { decodeJwt } from "jose";
import { sql } from "kysely";
import { readDocument } from "../../lib/clients/document.ts";
import { DAY_SECONDS, HOUR_SECONDS, MINUTE_SECONDS } from "../../lib/duration.ts";
import { sweepMissingClients } from "../../lib/grants/missing_client.ts";
import { PASSWORD, registerVerifiedUser } from "../support/app/accounts.ts";
import { exchange, NOTES, openAuthorizationApp, postForm, refresh, tokensIn } from "../support/app/authorization.ts";
import { authorizePath, codeIn, movedAnswer, openPage, press } from "../support/app/authorize_page.ts";
import { html, submit } from "../support/app/page_forms.ts";
import { readPage } from "../support/app/page_reader.ts";
import { openTestInstance } from "../support/app/test_app.ts";
import type { TestClient } from "../support/app/test_client.ts";
import { waitFor } from "../support/wait_for.ts";
import { AGENT_CALLBACK, documentOf, startDocumentHost } from "../support/apps/document_host.ts";
import { markupProblems, readValidPage } from "../support/browser/markup.ts";

const WEB_CALLBACK = "https://agent.example/callback";
const TOOLS = "https://tools.example";
const HOURLY_READINGS = 20;

const host = startDocumentHost();
Deno.test.afterAll(() => host[Symbol.asyncDispose]());
const app = await openAuthorizationApp(
  {
    CLIENT_METADATA_DOCUMENTS: "on",
    CLIENT_METADATA_ALLOW_PRIVATE: "true",
    LOGIN_MAX_ATTEMPTS: "0",
    LIMIT_CLIENT_DOCUMENT: `${HOURLY_READINGS}/3600`,
  },
  [],
  [{
    resource: TOOLS,
    name: "Tools",
    scopes: { "tools:use": "Use the tools" },
    default_scopes: ["tools:use"],
    agents: true,
  }],
);
const { services } = app;
const { db, config } = services;

/** Answers requests for documents in this way until the test ends. */
function answering(answer: typeof host.answer): Disposable {
  const before = host.answer;
  host.answer = answer;
  host.requests.length = 0;
  return { [Symbol.dispose]: () => void (host.answer = before) };
}

function pathOf(id: string, changes: Record<string, string | undefined> = {}): string {
  return authorizePath(id, { redirect_uri: WEB_CALLBACK, ...changes });
}

async function person(): Promise<TestClient> {
  return (await registerVerifiedUser(app, `${crypto.randomUUID()}@example.com`)).client;
}

/** Allows an app something, and returns its tokens. */
async function allow(client: TestClient, id: string, changes: Record<string, string | undefined> = {}) {
  const redirectUri = changes.redirect_uri ?? WEB_CALLBACK;
  const page = await openPage(client, pathOf(id, changes));
  const answer = await movedAnswer(await press(app, client, page, "allow"), redirectUri);
  return await tokensIn(exchange(app, codeIn(answer, id), { redirect_uri: redirectUri }));
}

/** The heading and the text of a page with status 400, after an attempt to log in to an app. */
async function refusal(client: TestClient, path: string): Promise<string> {
  const response = await client.get(path);
  deepStrictEqual([response.status, response.headers.get("Location")], [400, null]);
  const page = await readValidPage(response);
  return `${page.heading}\n${page.text}`;
}

Deno.test("someone logs in to an unregistered app, and it refreshes", async () => {
  using _ = answering((id) => Response.json(documentOf(id, { redirect_uris: [AGENT_CALLBACK] })));
  const id = host.url();
  const { host: shown } = new URL(id);
  const { email, id: userId } = await registerVerifiedUser(app, "agents@example.com");
  const guest = app.client();
  const path = authorizePath(id, { redirect_uri: AGENT_CALLBACK, scope: "openid offline_access", prompt: "login" });
  const sent = await guest.get(path);
  strictEqual(sent.status, 303);
  const login = sent.headers.get("Location")!;
  match(login, /^\/login\?next=/);
  const loginPage = await html(guest, login);
  ok(loginPage.includes(shown), "the login page names the host");
  deepStrictEqual(host.requests, [], "nothing is fetched for guests");

  const back = await submit(guest, loginPage, { email, password: PASSWORD });
  const page = await openPage(guest, back);
  const { heading, text } = await readPage(new Response(page));
  match(heading!, new RegExp(`^Log in to .?${shown}.?\\?$`));
  match(text, /Nobody here has checked this app\. It calls itself: The agent/);
  match(text, /Any program here can claim to be it/);
  doesNotMatch(page, /logo\.svg/);
  deepStrictEqual(await markupProblems(page), []);

  const answer = await movedAnswer(await press(app, guest, page, "allow"), AGENT_CALLBACK);
  const tokens = await tokensIn(exchange(app, codeIn(answer, id), { redirect_uri: AGENT_CALLBACK }));
  const { sub, aud } = decodeJwt(tokens.id_token!);
  deepStrictEqual([sub, aud], [userId, id]);
  await tokensIn(refresh(app, id, tokens.refresh_token!));
  strictEqual(host.requests.length, 1);

  const { data } = await (await guest.get("/api/account/apps")).json();
  deepStrictEqual(data.map((each: Record<string, unknown>) => [each.clientId, each.name, each.offline]), [[
    id,
    shown,
    true,
  ]]);
  const settings = await readPage(guest.get("/settings/apps"));
  ok(settings.text.includes(shown));
  const events = await (await guest.get("/api/account/events")).json();
  strictEqual(events.data.find(({ kind }: { kind: string }) => kind === "app.authorized").details.app, id);

  // On this device, another program could be it.
  match(await openPage(guest, path.replace("&prompt=login", "")), /calls itself/);
});

Deno.test("an app learns nothing before someone has agreed to it: errors are pages", async () => {
  const id = host.url();
  const guest = app.client();
  match(await refusal(guest, pathOf(id, { prompt: "none" })), /This login link isn’t valid/);
  const client = await person();
  match(await refusal(client, pathOf(id, { prompt: "none" })), /got no access/);
  match(await refusal(client, pathOf(id, { scope: "profile:read" })), /may not ask for any of these scopes/);
  match(await refusal(client, pathOf(id, { code_challenge: undefined })), /code_challenge is missing/);
  match(await refusal(client, pathOf(id, { response_type: "token" })), /response_type must be code/);
  match(await refusal(client, pathOf(id, { redirect_uri: "https://evil.example/" })), /This login link isn’t valid/);
  const canceled = await press(app, client, await openPage(client, pathOf(id)), "cancel");
  deepStrictEqual([canceled.status, canceled.headers.get("Refresh")], [400, null]);
  const back = (await readPage(canceled)).links.find(({ text }) => /^Return to .?agent\.example/.test(text));
  match(back!.href!, /^https:\/\/agent\.example\/callback\?error=access_denied/);
  deepStrictEqual((await (await client.get("/api/account/apps")).json()).data, []);

  await allow(client, id);
  const silent = await client.get(pathOf(id, { prompt: "none", scope: "openid email" }));
  match(silent.headers.get("Location")!, /^https:\/\/agent\.example\/callback\?error=consent_required/);
  const again = await client.get(pathOf(id, { prompt: "none" }));
  match(again.headers.get("Location")!, /\?code=/);
  match(await refusal(await person(), pathOf(id, { prompt: "none" })), /got no access/);
});

Deno.test("a document that cannot be used is a page that says why, and redirects nowhere", async () => {
  const json = (changes: Record<string, unknown>) => (id: string) => Response.json(documentOf(id, changes));
  const cases: [problem: RegExp, answer: typeof host.answer][] = [
    [/status 302/, () => new Response(null, { status: 302, headers: { Location: host.url() } })],
    [/status 404/, () => new Response("{}", { status: 404 })],
    [/status 201/, (id) => Response.json(documentOf(id), { status: 201 })],
    [
      /content type/,
      (id) => new Response(JSON.stringify(documentOf(id)), { headers: { "Content-Type": "text/html" } }),
    ],
    [/content type/, (id) => new Response(new TextEncoder().encode(JSON.stringify(documentOf(id))))],
    [/more than 8192 bytes/, json({ padding: "x".repeat(8192) })],
    [/not JSON/, () => new Response("{", { headers: { "Content-Type": "application/json" } })],
    [/not UTF-8/, () => new Response(new Uint8Array([0xff]), { headers: { "Content-Type": "application/json" } })],
    [/it must be an object/, () => Response.json([])],
    [/client_id is not the address/, (id) => Response.json(documentOf(`${id}/`))],
    [/client_name is required/, json({ client_name: undefined })],
    [/client_name must be one line/, json({ client_name: "Bank\u202Eknab" })],
    [/redirect_uris is required/, json({ redirect_uris: [] })],
    [/redirect_uris must have at most 10/, json({ redirect_uris: Array(11).fill(WEB_CALLBACK) })],
    [/redirect_uris\[0\] must be https, or http on/, json({ redirect_uris: ["http://agent.example/"] })],
    [/redirect_uris\[0\] must be https/, json({ redirect_uris: ["com.example.agent:/callback"] })],
    [/token_endpoint_auth_method must be "none"/, json({ token_endpoint_auth_method: undefined })],
    [/token_endpoint_auth_method must be "none"/, json({ token_endpoint_auth_method: "client_secret_post" })],
    [/client_secret must not be there/, json({ client_secret: "secret" })],
    [/response_types must have code/, json({ response_types: ["token"] })],
  ];
  for (const [problem, answer] of cases) {
    using _ = answering(answer);
    const text = await refusal(await person(), pathOf(host.url()));
    match(text, problem);
    match(text, /You can’t log in to .?127\.0\.0\.1:\d+.? right now/);
    strictEqual(host.requests.length, 1, "no redirect is followed");
  }
  const more = { token_endpoint_auth_method: "none", response_types: ["code"], grant_types: ["urn:other"] };
  using _ = answering((id) =>
    new Response(JSON.stringify(documentOf(id, more)), {
      headers: { "Content-Type": "application/cimd+json; charset=utf-8" },
    })
  );
  await openPage(await person(), pathOf(host.url()));
});

Deno.test("a document that never ends is given up, and keeps nobody else waiting", async () => {
  const drip = () =>
    new ReadableStream({
      pull: (controller) => controller.enqueue(new TextEncoder().encode(" ")),
    }, { highWaterMark: 0 });
  {
    using _ = answering(() => new Response(drip(), { headers: { "Content-Type": "application/json" } }));
    match(await refusal(await person(), pathOf(host.url())), /more than 8192 bytes/);
  }

  const release = Promise.withResolvers<void>();
  {
    using _ = answering(async (id) => {
      if (id.endsWith("slow")) await release.promise;
      return Response.json(documentOf(id));
    });
    const waiting = (await person()).get(pathOf(host.url("slow")));
    await openPage(await person(), pathOf(host.url("fast")));
    release.resolve();
    strictEqual((await waiting).status, 200);
  }

  using _ = answering(() => new Promise<Response>(() => {}));
  const clients = await Promise.all([person(), person(), person()]);
  const firstTwo = clients.slice(1).map((client) => refusal(client, pathOf(host.url())));
  await waitFor("both requests", () => host.requests.length === 2);
  match(await refusal(clients[0], pathOf(host.url())), /its host is being asked for others/);
  for (const each of await Promise.all(firstTwo)) match(each, /did not send it within 5 seconds/);
});

Deno.test("private addresses are not reached, whatever the name", async () => {
  using _ = answering((id) => Response.json(documentOf(id)));
  const { port } = new URL(host.url());
  for (const name of ["127.0.0.1", "localhost", "name.invalid", "[::1]", "169.254.169.254", "[::ffff:127.0.0.1]"]) {
    const url = new URL(`https://${name}:${port}/client.json`);
    const error = await readDocument(url, { id: url.href, allowsPrivate: false }).catch((error) => error);
    strictEqual(error.message, "its host is not on the public Internet", name);
  }
  deepStrictEqual(host.requests, []);
});

Deno.test("requests at the same time read a document once, and later ones as its Cache-Control says", async () => {
  const client = await person();
  const cases: [cacheControl: string | null, seconds: number][] = [
    [null, 5 * MINUTE_SECONDS],
    ["no-store", 5 * MINUTE_SECONDS],
    ["public, max-age=60", 5 * MINUTE_SECONDS],
    ["max-age=3600", HOUR_SECONDS],
    ["max-age=3600, no-cache", 5 * MINUTE_SECONDS],
    ["max-age=99999999999999", DAY_SECONDS],
  ];
  for (const [cacheControl, seconds] of cases) {
    const headers: HeadersInit = cacheControl === null ? {} : { "Cache-Control": cacheControl };
    using _ = answering((id) => Response.json(documentOf(id), { headers }));
    const path = pathOf(host.url());
    await Promise.all(Array.from({ length: 20 }, () => openPage(client, path)));
    strictEqual(host.requests.length, 1);
    const { expires_at } = await db.selectFrom("client_documents").select("expires_at").orderBy("used_at", "desc")
      .orderBy("expires_at").where("id", "like", `%${host.requests[0]}`).executeTakeFirstOrThrow();
    strictEqual((expires_at.getTime() - services.now().getTime()) / 1000, seconds, String(cacheControl));
  }
});

Deno.test("a document that was right within a day stays usable, and is read again when the code is issued", async () => {
  const id = host.url();
  const client = await person();
  const { refresh_token: token } = await allow(client, id);
  app.advance(HOUR_SECONDS);
  {
    using _ = answering((id) => Response.json(documentOf(id, { client_name: "The new name" })));
    const page = await openPage(client, pathOf(id, { scope: "openid email" }));
    match(page, /The new name/);
    app.advance(HOUR_SECONDS);
    using _changed = answering((id) => Response.json(documentOf(id, { redirect_uris: [AGENT_CALLBACK] })));
    strictEqual((await press(app, client, page, "allow")).status, 400, "its redirect URI has been removed");
    strictEqual(host.requests.length, 1);
  }
  app.advance(HOUR_SECONDS);
  await openPage(client, pathOf(id, { scope: "openid email" }));
  app.advance(HOUR_SECONDS);
  using _ = answering(() => new Response(null, { status: 500 }));
  for (let again = 0; again < 3; again++) await openPage(client, pathOf(id, { scope: "openid email" }));
  strictEqual(host.requests.length, 1, "a failure is not repeated at once");
  app.advance(22 * HOUR_SECONDS);
  await openPage(client, pathOf(id, { scope: "openid email" }));
  strictEqual(host.requests.length, 2);
  app.advance(2 * HOUR_SECONDS);
  match(await refusal(client, pathOf(id, { scope: "openid email" })), /status 500/);
  await tokensIn(refresh(app, id, token!));
});

Deno.test("a person may have twenty documents read in an hour, whether they can be used or not", async () => {
  const id = host.url();
  await openPage(await person(), pathOf(id));
  app.advance(HOUR_SECONDS);
  let answers = 0;
  using _ = answering((id) =>
    answers++ % 2 === 0 ? new Response(null, { status: 500 }) : Response.json(documentOf(id))
  );
  const client = await person();
  for (let reading = 0; reading < HOURLY_READINGS; reading++) await client.get(pathOf(host.url()));
  const limited = await client.get(pathOf(host.url()));
  strictEqual(limited.status, 429);
  ok(Number(limited.headers.get("Retry-After")) > 0);
  strictEqual(limited.headers.get("RateLimit-Policy"), `"client_document";q=${HOURLY_READINGS};w=3600`);
  strictEqual(host.requests.length, HOURLY_READINGS);
  await openPage(client, pathOf(id)); // what is known stays usable
  ok([200, 400].includes((await (await person()).get(pathOf(host.url()))).status), "others do not wait");
});

Deno.test("an unregistered app gets the resources that are open to agents, and no other", async () => {
  const id = host.url();
  const client = await person();
  const tokens = await allow(client, id, { scope: undefined, resource: `${TOOLS}/` });
  const { aud, scope, client_id } = decodeJwt(tokens.access_token);
  deepStrictEqual([aud, scope, client_id], [TOOLS, "tools:use", id]);
  const again = await tokensIn(refresh(app, id, tokens.refresh_token!, { resource: "HTTPS://Tools.example/" }));
  strictEqual(decodeJwt(again.access_token).aud, TOOLS);
  strictEqual((await refresh(app, id, again.refresh_token!, { resource: NOTES })).status, 400);
  const notes = await client.get(pathOf(id, { scope: "notes:read", resource: NOTES }));
  match(notes.headers.get("Location")!, /error=invalid_target/);
  for (const scope of ["profile:read", "users:invite", "admin", "groups", "groups:read", "notes:read"]) {
    const refused = await client.get(pathOf(id, { scope }));
    match(refused.headers.get("Location")!, /error=invalid_scope/, scope);
  }
});

Deno.test("only codes and refreshes: no secret, no service, no device", async () => {
  const id = host.url();
  await allow(await person(), id);
  const answer = async (path: string, fields: Record<string, string>) => {
    const response = await postForm(app, path, { client_id: id, ...fields });
    return [response.status, (await response.json()).error];
  };
  deepStrictEqual(await answer("/oauth/token", { grant_type: "client_credentials" }), [400, "unauthorized_client"]);
  deepStrictEqual(await answer("/oauth/device_authorization", {}), [400, "unauthorized_client"]);
  const secret = await answer("/oauth/token", { client_secret: "x", grant_type: "refresh_token", refresh_token: "x" });
  deepStrictEqual(secret, [401, "invalid_client"]);
  const unknown = { client_id: host.url(), grant_type: "refresh_token", refresh_token: "x" };
  deepStrictEqual(await answer("/oauth/token", unknown), [401, "invalid_client"]);
});

Deno.test("at most ten thousand documents are kept; those of apps in use go last", async () => {
  const id = host.url();
  await allow(await person(), id);
  await sql`
    insert into client_documents (id, name, redirect_uris, expires_at, used_at)
    select 'https://many.example/' || n, 'Many', '[]', ${services.now()}, ${services.now()}::timestamptz + interval '1 minute'
    from generate_series(1, 10000) as n
  `.execute(db);
  await openPage(await person(), pathOf(host.url()));
  const ids = (await db.selectFrom("client_documents").select("id").execute()).map(({ id }) => id);
  deepStrictEqual([ids.length, ids.includes(id)], [10_000, true]);
  await db.deleteFrom("client_documents").where("id", "like", "https://many%").execute();
});

Deno.test("with CLIENT_METADATA_DOCUMENTS=off, such an app is unknown", async () => {
  const id = host.url();
  const client = await person();
  const { refresh_token: token } = await allow(client, id);
  const all = { ...config, clientDocuments: null };
  await using off = await openTestInstance(app, (services) => ({ ...services, config: all }));
  const member = off.client();
  member.cookies.set("auth_session", client.cookies.get("auth_session")!);
  using _ = answering((id) => Response.json(documentOf(id)));
  match(await refusal(member, pathOf(id)), /This login link isn’t valid/);
  const refused = await refresh(off as never, id, token!);
  deepStrictEqual([refused.status, (await refused.json()).error], [401, "invalid_client"]);
  deepStrictEqual(host.requests, []);
  await tokensIn(refresh(app, id, token!));
});

Deno.test("the documents of this service say so, and scripts of any page may ask for tokens", async () => {
  const document = await (await app.client().get("/.well-known/openid-configuration")).json();
  strictEqual(document.client_id_metadata_document_supported, true);
  const headers = { Origin: "https://any.example", "Access-Control-Request-Method": "POST" };
  const preflight = await app.client().request("/oauth/token", { method: "OPTIONS", headers });
  deepStrictEqual(
    ["Access-Control-Allow-Origin", "Access-Control-Allow-Credentials"].map((name) => preflight.headers.get(name)),
    ["https://any.example", null],
  );
});

Deno.test("unregistered apps do not count as missing from CLIENTS_FILE", async () => {
  const id = host.url();
  await allow(await person(), id);
  await sweepMissingClients(services);
  deepStrictEqual(await db.selectFrom("missing_clients").selectAll().where("client_id", "=", id).execute(), []);
  await sweepMissingClients({ ...services, config: { ...config, clientDocuments: null } });
  strictEqual((await db.selectFrom("missing_clients").selectAll().where("client_id", "=", id).execute()).length, 1);
  await sweepMissingClients(services);
  deepStrictEqual(await db.selectFrom("missing_clients").selectAll().where("client_id", "=", id).execute(), []);
});
