import { deepStrictEqual, match, notStrictEqual, ok, strictEqual } from "node:assert/strict";
import { HOUR_SECONDS } from "../../lib/duration.ts";
import {
  type Behavior,
  type FalseProvider,
  GOOD_BEHAVIOR,
  startFalseProvider,
} from "../support/providers/false_provider.ts";
import { consentScreen, signedIn, signIn } from "../support/providers/idp.ts";
import { readPage } from "../support/app/page_reader.ts";
import {
  BASE_URL,
  openSharedTestApp,
  openTestApp,
  openTestInstance,
  PRODUCTION,
  type TestApp,
} from "../support/app/test_app.ts";
import type { TestClient } from "../support/app/test_client.ts";

const provider = await startFalseProvider();
Deno.test.afterAll(() => provider[Symbol.asyncDispose]());
const app = await openSharedTestApp(provider.env);

const ADA = { sub: "ada", email: "ada@example.com", email_verified: true, name: "Ada" };
/** The cookies that prove an attempt. */
const COOKIES = ["idp_oauth_state", "idp_code_verifier", "idp_nonce"];

/** Runs `test` with a misbehaving provider, including its discovery. */
async function misbehaving(how: Partial<Behavior>, test: () => Promise<void>): Promise<void> {
  app.advance(HOUR_SECONDS);
  provider.requests.length = 0;
  Object.assign(provider, how);
  await test().finally(() => Object.assign(provider, GOOD_BEHAVIOR));
}

/** Sends several cookies with one name, which the test client cannot store. */
async function getWithCookies(path: string, cookies: string[]): Promise<Response> {
  const info = { remoteAddr: { transport: "tcp", hostname: "127.0.0.1", port: 1 } } as Deno.ServeHandlerInfo;
  return await app.handler(new Request(BASE_URL + path, { headers: { cookie: cookies.join("; ") } }), info);
}

function openWithoutProvider() {
  const without = { ...app.services.config, providers: [] };
  return openTestInstance(app, (services) => ({ ...services, config: without, providers: new Map() }));
}

async function begin(client: TestClient): Promise<{ state: string; callback: string }> {
  provider.userinfo = ADA;
  const { pathname, search, searchParams } = provider.consent(await consentScreen(client));
  return { state: searchParams.get("state")!, callback: pathname + search };
}

function assertAttemptEnded(response: Response, client: TestClient): void {
  const cleared = response.headers.getSetCookie().filter((line) => /=; Max-Age=0; Path=\/; HttpOnly;/.test(line));
  deepStrictEqual(cleared.map((line) => line.split("=")[0]), COOKIES);
  ok(COOKIES.every((name) => !client.cookies.has(name)));
}

/** Fails unless the callback redirected to the login page, opened no session and left a log line. */
function assertRefused(
  response: Response,
  client: TestClient,
  { refusal = "idp_failed", what = refusal }: { refusal?: string; what?: string } = {},
): void {
  strictEqual(response.status, 302, what);
  strictEqual(response.headers.get("Location"), `/login?error=${refusal}`, what);
  assertAttemptEnded(response, client);
  ok(!client.cookies.has("auth_session"), what);
  match(app.logLines.at(-2)!, new RegExp(`"sign-in failed".*"refusal":"${refusal}","reason":".+"`), what);
}

Deno.test("the start redirects to the consent screen with state, PKCE and nonce, and stores them in cookies", async () => {
  const client = app.client();
  const response = await client.get("/auth/idp");
  strictEqual(response.status, 302);
  strictEqual(response.headers.get("Cache-Control"), "no-store");
  const url = new URL(response.headers.get("Location")!);
  strictEqual(url.origin + url.pathname, `${provider.issuer}/authorize`);
  const { state, nonce, code_challenge: challenge, ...rest } = Object.fromEntries(url.searchParams);
  deepStrictEqual(rest, {
    response_type: "code",
    client_id: "foyer",
    redirect_uri: `${BASE_URL}/auth/idp/callback`,
    scope: "openid email profile",
    code_challenge_method: "S256",
  });
  for (const secret of [state, nonce, challenge]) match(secret, /^[\w-]{43}$/);

  const lines = response.headers.getSetCookie();
  const sealed = lines.pop()!;
  deepStrictEqual(lines.map((line) => line.split("=")[0]), COOKIES);
  for (const line of lines) match(line, /^\w+=[\w-]{43}; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax$/);
  match(sealed, /^idp_attempt_[\w-]{12}=[^;\s]+; Max-Age=86400; Path=\/; HttpOnly; SameSite=Lax$/);
  strictEqual(client.cookies.get("idp_oauth_state"), state);
  strictEqual(client.cookies.get("idp_nonce"), nonce);

  const again = new URL(await consentScreen(client)).searchParams;
  for (const name of ["state", "nonce", "code_challenge"]) notStrictEqual(again.get(name), url.searchParams.get(name));
});

Deno.test("in production the cookies are Secure; a plain provider gets no nonce", async () => {
  await using production = await openTestApp({
    ...PRODUCTION,
    IDP_AUTH_URL: "https://id.example/authorize?tenant=1",
    IDP_TOKEN_URL: "https://id.example/token",
    IDP_USERINFO_URL: "https://id.example/me",
    IDP_CLIENT_ID: "foyer",
  });
  const response = await production.client().get("/auth/idp");
  const { searchParams } = new URL(response.headers.get("Location")!);
  deepStrictEqual([searchParams.get("tenant"), searchParams.get("nonce")], ["1", null]);
  const [state, verifier, nonce] = response.headers.getSetCookie();
  for (const line of [state, verifier]) match(line, /; Max-Age=600; Path=\/; HttpOnly; Secure; SameSite=Lax$/);
  match(nonce, /^idp_nonce=; Max-Age=0/);
});

Deno.test("a page that embeds the sign-in, as an image for example, changes no cookies", async () => {
  const client = app.client();
  const { callback } = await begin(client);
  const attempt = new Map(client.cookies);
  provider.requests.length = 0;
  for (const path of ["/auth/idp", callback, "/auth/idp/callback?error=access_denied"]) {
    for (const destination of ["image", "iframe", "empty", "script", ""]) {
      const response = await client.get(path, { "Sec-Fetch-Dest": destination });
      strictEqual(response.status, 403, `${path} as ${destination}`);
      strictEqual((await response.json()).code, "FORBIDDEN");
      deepStrictEqual(response.headers.getSetCookie(), [], `${path} as ${destination}`);
    }
  }
  deepStrictEqual(provider.requests, []);
  deepStrictEqual(client.cookies, attempt);
  const opened = await client.get(callback, { "Sec-Fetch-Dest": "document" });
  strictEqual(opened.headers.get("Location"), "/dashboard");
});

Deno.test("a success clears the cookies, and neither code nor state is logged", async () => {
  const client = app.client();
  const { state, callback } = await begin(client);
  const response = await client.get(callback);
  strictEqual(response.headers.get("Location"), "/dashboard");
  assertAttemptEnded(response, client);
  const log = app.logLines.join("\n");
  for (const secret of [state, new URL(callback, BASE_URL).searchParams.get("code")!]) ok(!log.includes(secret));
});

Deno.test("a sign-in ends at the page of this site that was asked for, and a failed one keeps it", async () => {
  const start = (client: TestClient, next: string) => client.get(`/auth/idp?${new URLSearchParams({ next })}`);
  const finish = async (client: TestClient, started: Response) => {
    const { pathname, search } = provider.consent(started.headers.get("Location")!);
    return await client.get(pathname + search);
  };
  provider.userinfo = ADA;
  const client = app.client();
  const started = await start(client, "/users?cursor=a%2Fb");
  const finished = await finish(client, started);
  strictEqual(finished.headers.get("Location"), "/users?cursor=a%2Fb");
  assertAttemptEnded(finished, client);

  for (const evil of ["https://evil.example", "//evil.example", "/\\evil.example", "/\t/evil.example"]) {
    const other = app.client();
    const response = await start(other, evil);
    strictEqual((await finish(other, response)).headers.get("Location"), "/dashboard", evil);
  }

  const denied = app.client();
  await start(denied, "/profile");
  const response = await denied.get("/auth/idp/callback?error=access_denied");
  strictEqual(response.headers.get("Location"), "/login?error=cancelled&next=%2Fprofile");

  const again = app.client();
  await start(again, "/profile");
  const restarted = await again.get("/auth/idp");
  strictEqual((await finish(again, restarted)).headers.get("Location"), "/dashboard", "a new attempt forgets the old");
});

Deno.test("an attempt that another tab has replaced, or that has expired, keeps the page that was asked for", async () => {
  const start = async (client: TestClient, next: string) => {
    const { headers } = await client.get(`/auth/idp?${new URLSearchParams({ next })}`);
    const { pathname, search } = provider.consent(headers.get("Location")!);
    return pathname + search;
  };
  const assertExpired = async (client: TestClient, callback: string, next: string) => {
    const response = await client.get(callback, { Accept: "text/html" });
    strictEqual(response.status, 400);
    const page = await readPage(response);
    match(page.text, /started again in another tab\./);
    ok(page.find(`main a[href="/login?${new URLSearchParams({ next })}"]`));
    assertAttemptEnded(response, client);
  };
  provider.userinfo = ADA;
  const twoTabs = app.client();
  const [first, second] = [await start(twoTabs, "/profile"), await start(twoTabs, "/users")];
  await assertExpired(twoTabs, first, "/profile");
  await assertExpired(twoTabs, second, "/users");

  const late = app.client();
  const callback = await start(late, "/profile");
  app.advance(600);
  for (const _time of ["first", "reloaded"]) await assertExpired(late, callback, "/profile");
});

Deno.test("denied consent redirects to the login page", async () => {
  const client = app.client();
  const { state } = await begin(client);
  const response = await client.get(`/auth/idp/callback?error=access_denied&state=${state}`);
  assertRefused(response, client, { refusal: "cancelled" });
  assertRefused(await app.client().get("/auth/idp/callback?error=access_denied"), client, { refusal: "cancelled" });
  const { message } = await readPage(client.get("/login?error=cancelled"));
  strictEqual(message, "Login canceled. Try again, or use your password.");
});

Deno.test("a missing, empty or different state is refused before any request to the provider", async () => {
  const cases: ((callback: URL, client: TestClient) => void)[] = [
    ({ searchParams }) => searchParams.delete("state"),
    ({ searchParams }) => searchParams.set("state", ""),
    ({ searchParams }) => searchParams.set("state", "x".repeat(43)),
    ({ searchParams }) => searchParams.set("state", searchParams.get("state") + "x"),
    (_callback, { cookies }) => cookies.delete("idp_oauth_state"),
    ({ searchParams }, { cookies }) => {
      searchParams.delete("state");
      cookies.delete("idp_oauth_state");
    },
    ({ searchParams }, { cookies }) => {
      searchParams.set("state", "");
      cookies.set("idp_oauth_state", "");
    },
  ];
  for (const change of cases) {
    const client = app.client();
    const url = new URL((await begin(client)).callback, BASE_URL);
    change(url, client);
    provider.requests.length = 0;
    const response = await client.get(url.pathname + url.search);
    strictEqual(response.status, 400);
    strictEqual(response.headers.get("Cache-Control"), "no-store");
    deepStrictEqual(await response.json(), {
      message: "Invalid state parameter",
      error: "Invalid state parameter",
      code: "INVALID_STATE",
      details: {},
    });
    assertAttemptEnded(response, client);
    deepStrictEqual(provider.requests, []);
  }
});

Deno.test("a browser that opens a URL under /auth gets errors as pages, programs get JSON", async () => {
  await using bare = await openWithoutProvider();
  const cases: [at: Pick<TestApp, "client">, path: string, status: number, heading: string, allow?: string][] = [
    [app, "/auth/idp/callback?code=c&state=s", 400, "Your login attempt has expired"],
    [app, "/auth/logout", 405, "This page can’t be opened directly", "POST, OPTIONS"],
    [app, "/auth/nothing", 404, "Page not found"],
    [bare, "/auth/idp", 404, "Page not found"],
  ];
  const html = "text/html,application/xhtml+xml,*/*;q=0.8";
  const browsers: HeadersInit[] = [{ Accept: html }, { Accept: html, "Sec-Fetch-Mode": "navigate" }];
  const programs: HeadersInit[] = [{}, { Accept: "*/*" }, { Accept: html, "Sec-Fetch-Mode": "cors" }];
  for (const [asked, path, status, heading, allow = null] of cases) {
    for (const headers of browsers) {
      const response = await asked.client().get(path, headers);
      strictEqual(response.status, status, path);
      strictEqual(response.headers.get("Cache-Control"), "no-store");
      strictEqual(response.headers.get("Allow"), allow);
      const page = await readPage(response);
      strictEqual(page.heading, heading);
      if (status === 400) ok(page.find('main a[href="/login"]'));
    }
    for (const headers of programs) {
      const response = await asked.client().get(path, headers);
      strictEqual(response.status, status, path);
      strictEqual(response.headers.get("Content-Type"), "application/json", path);
    }
  }
  const client = app.client();
  const { callback } = await begin(client);
  assertAttemptEnded(await client.get(callback.replace(/state=[^&]*/, "state=x"), { Accept: html }), client);
  const sent = { method: "POST", body: "email=x", headers: { Accept: html } };
  const refused = await client.request("/auth/login", sent);
  strictEqual(refused.headers.get("Content-Type"), "application/json");
});

Deno.test("two different values of one attempt cookie are refused, because a sibling site may have set one", async () => {
  for (const name of COOKIES) {
    for (const isFirst of [true, false]) {
      const client = app.client();
      const { callback } = await begin(client);
      const own = [...client.cookies].map(([name, value]) => `${name}=${value}`);
      const tossed = `${name}=${"x".repeat(43)}`;
      const cookies = isFirst ? [tossed, ...own] : [...own, tossed];
      provider.requests.length = 0;
      const response = await getWithCookies(callback, cookies);
      strictEqual(response.status, 400, cookies.join("; "));
      strictEqual((await response.json()).code, "INVALID_STATE");
      deepStrictEqual(provider.requests, []);
      const repeated = await getWithCookies(callback, [...own, `${name}=`, ...own]);
      strictEqual(repeated.headers.get("Location"), "/dashboard", "one value sent twice is accepted");
    }
  }
});

Deno.test("two values of the sealed attempt are refused too, and so is one of another attempt", async () => {
  const [client, other] = [app.client(), app.client()];
  const { callback } = await begin(client);
  await begin(other);
  const sealedIn = ({ cookies }: TestClient) => [...cookies].find(([name]) => name.startsWith("idp_attempt_"))!;
  const [[name], [, foreign]] = [sealedIn(client), sealedIn(other)];
  const own = [...client.cookies].map(([name, value]) => `${name}=${value}`);
  const isSealed = (cookie: string) => cookie.startsWith(name);
  for (
    const cookies of [
      [...own, `${name}=x`],
      own.map((cookie) => isSealed(cookie) ? `${name}=${foreign}` : cookie),
    ]
  ) {
    const response = await getWithCookies(callback, cookies);
    deepStrictEqual([response.status, (await response.json()).code], [400, "INVALID_STATE"]);
  }
  strictEqual((await getWithCookies(callback, own)).headers.get("Location"), "/dashboard");
});

Deno.test("starting a sign-in stores nothing", async () => {
  const { db } = app.services;
  const count = async () => {
    const tables = ["provider_attempts", "spent_challenges"] as const;
    return await Promise.all(tables.map(async (table) => (await db.selectFrom(table).select("id").execute()).length));
  };
  const before = await count();
  for (const length of [0, 2_000, 60_000]) await app.client().get(`/auth/idp?next=/${"x".repeat(length)}`);
  deepStrictEqual(await count(), before);
});

Deno.test("a browser keeps few attempts, so that its cookies stay short enough for servers", async () => {
  const client = app.client();
  const kept = () => [...client.cookies.keys()].filter((name) => name.startsWith("idp_attempt_")).length;
  for (const expected of [1, 2, 3, 1]) {
    const response = await client.get(`/auth/idp?next=/${"x".repeat(2_047)}`);
    strictEqual(kept(), expected);
    for (const line of response.headers.getSetCookie()) ok(line.length < 4_096, String(line.length));
  }
});

Deno.test("a client address may start 60 sign-ins in a quarter of an hour", async () => {
  await using limited = await openTestApp({ ...provider.env, LIMIT_ATTEMPT: "60/900" });
  const client = limited.client();
  const start = async () => await client.get("/auth/idp");
  for (let attempts = 0; attempts < 60; attempts++) strictEqual((await start()).status, 302);
  const refused = await start();
  deepStrictEqual([refused.status, refused.headers.get("RateLimit-Policy")], [429, '"attempt";q=60;w=900']);
  limited.advance(900);
  strictEqual((await start()).status, 302);
});

Deno.test("an error response logs only its code and causes no new discovery", async () => {
  const cases: [error: string, logged: RegExp][] = [
    ["server_error", /AuthorizationResponseError: [^:"]*: server_error"/],
    ["x".repeat(65), /AuthorizationResponseError: [^:"]*"/],
    ["a token: eyJ", /AuthorizationResponseError: [^:"]*"/],
  ];
  for (const [error, logged] of cases) {
    const client = app.client();
    const { state } = await begin(client);
    provider.requests.length = 0;
    const query = new URLSearchParams({ error, error_description: "a text for people", state });
    assertRefused(await client.get(`/auth/idp/callback?${query}`), client, { what: error });
    match(app.logLines.at(-2)!, logged);
    ok(!app.logLines.at(-2)!.includes("a text for people"));
    await consentScreen(app.client());
    deepStrictEqual(provider.requests, []);
  }
});

Deno.test("a callback works once, for its state and for its code", async () => {
  const client = app.client();
  const { callback } = await begin(client);
  const kept = new Map(client.cookies);
  strictEqual((await client.get(callback)).headers.get("Location"), "/dashboard");
  strictEqual((await client.get(callback)).status, 400);

  const thief = app.client();
  for (const [name, value] of kept) thief.cookies.set(name, value);
  provider.requests.length = 0;
  strictEqual((await thief.get(callback)).status, 400);
  deepStrictEqual(provider.requests, []);

  const { state } = await begin(thief);
  for (const name of ["idp_code_verifier", "idp_nonce"]) thief.cookies.set(name, kept.get(name)!);
  assertRefused(await thief.get(callback.replace(/state=[^&]*/, `state=${state}`)), thief);
});

Deno.test("of several concurrent callbacks with one state, exactly one is accepted", async () => {
  const client = app.client();
  const { callback } = await begin(client);
  const cookies = [...client.cookies].map(([name, value]) => `${name}=${value}`);
  provider.requests.length = 0;
  const responses = await Promise.all(Array.from({ length: 8 }, () => getWithCookies(callback, cookies)));
  deepStrictEqual(responses.map(({ status }) => status).toSorted(), [302, ...Array(7).fill(400)]);
  strictEqual(provider.requests.filter((path) => path.includes("token")).length, 1, provider.requests.join());
});

Deno.test("an attempt expires after ten minutes", async () => {
  for (const [seconds, status] of [[599, 302], [600, 400]]) {
    const client = app.client();
    const { callback } = await begin(client);
    app.advance(seconds);
    strictEqual((await client.get(callback)).status, status, `after ${seconds} seconds`);
  }
});

Deno.test("a sign-in ends the session of the browser that started it, which the callback does not present", async () => {
  const { client } = await signedIn(app, provider, ADA);
  const before = client.cookies.get("auth_session")!;
  const { callback } = await begin(client);
  client.cookies.delete("auth_session");
  strictEqual((await client.get(callback)).headers.get("Location"), "/dashboard");
  strictEqual((await app.client().get("/api/profile", { Cookie: `auth_session=${before}` })).status, 401);
  strictEqual((await client.get("/api/profile")).status, 200);
});

Deno.test("a code from another browser is refused, because the code verifier differs", async () => {
  const [victim, thief] = [app.client(), app.client()];
  const { callback } = await begin(victim);
  const { state } = await begin(thief);
  const code = new URL(callback, BASE_URL).searchParams.get("code");
  assertRefused(await thief.get(`/auth/idp/callback?code=${code}&state=${state}`), thief);
});

Deno.test("an ID token with any flaw is refused", async () => {
  const past = Math.floor(Date.now() / 1000) - 120;
  const cases: [what: string, how: Partial<Behavior>][] = [
    ["wrong nonce", { claims: { nonce: "another" } }],
    ["no nonce", { claims: { nonce: undefined } }],
    ["wrong audience", { claims: { aud: "somebody else" } }],
    ["audience of several", { claims: { aud: ["foyer", "somebody else"] } }],
    ["wrong issuer", { claims: { iss: "https://id.example" } }],
    ["expired", { claims: { exp: past } }],
    ["no expiry", { claims: { exp: undefined } }],
    ["no subject", { claims: { sub: undefined } }],
    ["another subject than userinfo", { claims: { sub: "eve" } }],
    ["signed by another key", { signature: "wrong" }],
    ["unsigned", { signature: "none" }],
    ["unsigned, as announced", { signature: "none", metadata: { id_token_signing_alg_values_supported: ["none"] } }],
  ];
  for (const [what, how] of cases) {
    await misbehaving(how, async () => {
      const client = app.client();
      assertRefused(await signIn(app, provider, ADA, client), client, { what });
    });
  }
  await signedIn(app, provider, ADA);
});

Deno.test("other errors of the provider, bad parameters and lost cookies lead to the login page", async () => {
  const cases: ((callback: URL, client: TestClient) => void)[] = [
    ({ searchParams }) => searchParams.set("error", "server_error"),
    ({ searchParams }) => searchParams.delete("code"),
    ({ searchParams }) => searchParams.append("code", "second"),
    ({ searchParams }) => searchParams.set("iss", "https://evil.example"),
    ({ searchParams }) => searchParams.append("iss", "https://evil.example"),
    (_callback, { cookies }) => cookies.delete("idp_code_verifier"),
    (_callback, { cookies }) => cookies.delete("idp_nonce"),
  ];
  for (const change of cases) {
    const client = app.client();
    const url = new URL((await begin(client)).callback, BASE_URL);
    change(url, client);
    assertRefused(await client.get(url.pathname + url.search), client);
  }
  await misbehaving({ metadata: { authorization_response_iss_parameter_supported: true } }, async () => {
    const client = app.client();
    const { callback } = await begin(client);
    const what = "an announced issuer is missing";
    assertRefused(await client.get(callback.replace(/&iss=[^&]*/, "")), client, { what });
  });
  await misbehaving({ claims: { nonce: undefined } }, async () => {
    const client = app.client();
    const { callback } = await begin(client);
    client.cookies.delete("idp_nonce");
    assertRefused(await client.get(callback), client);
  });
});

Deno.test("a provider that accepts the secret only in the body gets it there", async () => {
  await misbehaving({ metadata: { token_endpoint_auth_methods_supported: ["client_secret_post"] } }, async () => {
    await signedIn(app, provider, ADA);
  });
});

Deno.test("redirects of the provider are not followed", async () => {
  for (const endpoint of ["token", "jwks", "userinfo"] as const) {
    await misbehaving({ redirecting: [endpoint] }, async () => {
      const client = app.client();
      assertRefused(await signIn(app, provider, ADA, client), client);
      strictEqual(provider.requests.filter((asked) => asked === endpoint).length, 1);
    });
  }
});

Deno.test("HEAD does not consume the code", async () => {
  const client = app.client();
  const { callback } = await begin(client);
  const head = await client.request(callback, { method: "HEAD" });
  deepStrictEqual([head.headers.get("Location"), head.headers.getSetCookie()], ["/login", []]);
  strictEqual((await client.get(callback)).headers.get("Location"), "/dashboard");
});

Deno.test("an unknown signing key causes exactly one request for the new keys", async () => {
  await signIn(app, provider, ADA);
  await provider.rotateKeys();
  provider.requests.length = 0;
  const client = app.client();
  strictEqual((await signIn(app, provider, ADA, client)).headers.get("Location"), "/dashboard");
  strictEqual(provider.requests.filter((endpoint) => endpoint === "jwks").length, 1);
});

Deno.test("discovery is cached for an hour, and repeated after a failure", async () => {
  const countDiscoveries = () => provider.requests.filter((endpoint) => endpoint === "discovery").length;
  const client = app.client();
  app.advance(HOUR_SECONDS);
  provider.requests.length = 0;
  await Promise.all([client.get("/auth/idp"), client.get("/auth/idp")]);
  app.advance(HOUR_SECONDS - 1);
  await client.get("/auth/idp");
  strictEqual(countDiscoveries(), 1);
  app.advance(1);
  await client.get("/auth/idp");
  strictEqual(countDiscoveries(), 2);

  await misbehaving({ signature: "wrong" }, async () => void await signIn(app, provider, ADA));
  strictEqual(countDiscoveries(), 1);
  const { state } = await begin(client);
  strictEqual(countDiscoveries(), 2);
  await client.get(`/auth/idp/callback?code=wrong&state=${state}`);
  await client.get("/auth/idp");
  strictEqual(countDiscoveries(), 2, "a refusal in the provider's own words says nothing against its addresses");
});

Deno.test("an unreachable provider affects only the sign-in through it", async () => {
  const closed = await startFalseProvider();
  await closed[Symbol.asyncDispose]();
  await using lonely = await openTestApp(closed.env);
  const response = await lonely.client().get("/auth/idp");
  strictEqual(response.status, 302);
  strictEqual(response.headers.get("Location"), "/login?error=idp_failed");
  strictEqual((await lonely.client().get("/api/health")).status, 200);
});

Deno.test("discovery of another issuer or of unencrypted endpoints is refused", async () => {
  const bad = [
    { issuer: "https://id.example" },
    { authorization_endpoint: "http://id.example/authorize" },
    { authorization_endpoint: "javascript:alert(1)" },
    { authorization_endpoint: undefined },
  ];
  for (const metadata of bad) {
    await misbehaving({ metadata }, async () => {
      const response = await app.client().get("/auth/idp");
      strictEqual(response.headers.get("Location"), "/login?error=idp_failed", JSON.stringify(metadata));
      deepStrictEqual(response.headers.getSetCookie(), []);
    });
    strictEqual(new URL(await consentScreen(app.client())).origin, provider.issuer, "the next one asks again");
  }
  await misbehaving({ metadata: { token_endpoint: "http://id.example/token" } }, async () => {
    const client = app.client();
    assertRefused(await signIn(app, provider, ADA, client), client);
    match(app.logLines.at(-2)!, /only requests to HTTPS|Cannot send a request to the provider without https/);
  });
});

Deno.test("a provider that never responds does not keep people waiting", async () => {
  const start = (slowApp: TestApp) => slowApp.client().get("/auth/idp");
  const startAndFinish = (slowApp: TestApp, slow: FalseProvider) => signIn(slowApp, slow, ADA);
  const waits = [
    { endpoint: "discovery", maxMs: 5_000, act: start },
    { endpoint: "token", maxMs: 10_000, act: startAndFinish },
    { endpoint: "jwks", maxMs: 10_000, act: startAndFinish },
    { endpoint: "userinfo", maxMs: 10_000, act: startAndFinish },
  ] as const;
  await using opened = new AsyncDisposableStack();
  const worlds = [];
  // Opening apps takes processor time, so it must not overlap with the measurement.
  for (const wait of waits) {
    const slow = opened.use(await startFalseProvider());
    slow.silent = [wait.endpoint];
    worlds.push({ ...wait, slow, slowApp: opened.use(await openTestApp(slow.env)) });
  }
  await Promise.all(worlds.map(async ({ endpoint, maxMs, act, slow, slowApp }) => {
    const startedAt = performance.now();
    const response = await act(slowApp, slow);
    ok(performance.now() - startedAt < maxMs, `${endpoint} took ${performance.now() - startedAt} ms`);
    strictEqual(response.headers.get("Location"), "/login?error=idp_failed", endpoint);
  }));
});

Deno.test("a plain OAuth 2.0 provider signs in by its three addresses", async () => {
  await using plain = await openTestApp(provider.plainEnv);
  const github = {
    id: 4711,
    email: "octo@example.com",
    email_verified: true,
    name: "Octo",
    avatar_url: "https://pictures.example/o.png",
  };
  const { user } = await signedIn(plain, provider, github);
  deepStrictEqual([user.email, user.name, user.avatar, user.emailVerified, user.provider], [
    "octo@example.com",
    "Octo",
    "https://pictures.example/o.png",
    true,
    "idp",
  ]);
  strictEqual((await signedIn(plain, provider, github)).user.id, user.id);
  const response = await signIn(plain, provider, { id: 4712, email: null, email_verified: true, name: "Private" });
  strictEqual(response.headers.get("Location"), "/login?error=idp_email");

  for (const tokens of ["access_token=secret&token_type=bearer", '"secret"', "secret"]) {
    await misbehaving({ tokens }, async () => {
      const refused = await signIn(plain, provider, github);
      strictEqual(refused.headers.get("Location"), "/login?error=idp_failed");
    });
  }
  ok(!plain.logLines.join("\n").includes("secret"));
});

Deno.test("without a provider there is no link, and both endpoints return 404", async () => {
  await using bare = await openWithoutProvider();
  for (const path of ["/auth/idp", "/auth/idp/callback?code=c&state=s"]) {
    const response = await bare.client().get(path);
    strictEqual(response.status, 404);
    strictEqual((await response.json()).code, "IDP_NOT_CONFIGURED");
  }
  const { links } = await readPage(bare.client().get("/login"));
  ok(!links.some(({ href }) => href!.startsWith("/auth/idp")));
});

Deno.test("the login page names the provider, in its link as in its errors", async () => {
  await using named = await openTestApp({ ...provider.env, IDP_NAME: "Example & Sons" });
  const page = (path: string) => readPage(named.client().get(path));
  strictEqual((await page("/login")).link("Continue with Example & Sons").href, "/auth/idp");
  ok((await page("/login?next=%2Fprofile")).leadsTo("/auth/idp?next=%2Fprofile"));
  ok((await page("/register?next=%2Fprofile")).leadsTo("/auth/idp?next=%2Fprofile"));
  ok(!(await page("/login?error=%3Cb%3Eevil")).html.includes("evil"));
  strictEqual((await page("/login?error=constructor")).message, null);
  match((await page("/login?error=idp_failed")).message!, /^We couldn’t log you in with Example & Sons\./);
  match((await page("/login?error=idp_email")).message!, /^Example & Sons hasn’t confirmed your email address/);
});

Deno.test("an access token that no header can hold is not logged", async () => {
  await using plain = await openTestApp(provider.plainEnv);
  for (const access_token of ["hidden\r\nX: 1", "hidden\u20ac"]) {
    await misbehaving({ tokens: JSON.stringify({ access_token, token_type: "bearer" }) }, async () => {
      const response = await signIn(plain, provider, ADA);
      strictEqual(response.headers.get("Location"), "/login?error=idp_failed");
    });
  }
  ok(!plain.logLines.join("\n").includes("hidden"));
});

Deno.test("a callback that anyone can make up causes no request to the provider", async () => {
  await begin(app.client());
  provider.requests.length = 0;
  const attempt = ["idp_oauth_state=s", "idp_code_verifier=v"];
  const cases = [
    ["code=c&state=s", attempt],
    ["code=c&state=s&iss=https%3A%2F%2Fother.example", [...attempt, "idp_nonce=n"]],
  ] as const;
  for (const [query, cookies] of cases) {
    const response = await getWithCookies(`/auth/idp/callback?${query}`, [...cookies]);
    strictEqual(response.status, 400, query);
    await consentScreen(app.client());
    deepStrictEqual(provider.requests, [], query);
  }
});
