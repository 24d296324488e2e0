import { deepStrictEqual, doesNotMatch, match, ok, strictEqual } from "node:assert/strict";
import { registerVerifiedUser } from "../support/app/accounts.ts";
import { client, NOTES, openAuthorizationApp, REDIRECT_URI } from "../support/app/authorization.ts";
import { answerTo, authorizePath, codeIn, movedAnswer, openPage, press } from "../support/app/authorize_page.ts";
import { withFailingDatabase } from "../support/database/failing_database.ts";

/** What /oauth/authorize refuses: on a page of its own, to the app, and by the kind of request. */

const app = await openAuthorizationApp({ LIMIT_AUTHORIZE: "3/60" }, [
  client("no-codes", { grant_types: ["refresh_token"] }),
  client("local", { redirect_uris: ["http://127.0.0.1/callback"] }),
]);
const ISSUER = app.services.config.baseUrl;
const { client: member } = await registerVerifiedUser(app, "member@example.com");
const SECRET = "quoted-nowhere";

async function assertUntrusted(response: Response, label: string): Promise<void> {
  const text = await response.text();
  strictEqual(response.status, 400, label);
  match(text, /This login link isn’t valid/, label);
  for (const name of ["Location", "Refresh"]) strictEqual(response.headers.get(name), null, label);
  deepStrictEqual(["Cache-Control", "X-Robots-Tag"].map((name) => response.headers.get(name)), ["no-store", "noindex"]);
  doesNotMatch(text, /evil|quoted-nowhere|http-equiv/i, label);
}

Deno.test("a wrong client or redirect URI gets a page with 400 that leads nowhere and quotes nothing", async () => {
  const uris = [
    "",
    "https://evil.example/callback",
    `${REDIRECT_URI}/`,
    `${REDIRECT_URI}?evil`,
    `${REDIRECT_URI}#evil`,
    "https://APP.example/callback",
    "http://app.example/callback",
    "https://app.example:443/callback",
    "https://app.example/./callback",
    "https://app.example/evil/../callback",
    "https://app.example/evil/..;/callback",
    "https://app.example/%63allback",
    "https://app.example%2f@evil.example/callback",
    "https://app.example\\@evil.example/callback",
    "https://app.example@evil.example/callback",
    "//evil.example/callback",
    "javascript:evil",
    " https://app.example/callback",
    "http://127.0.0.1/callback",
  ];
  const paths = [
    ...uris.map((redirect_uri) => authorizePath("wiki", { redirect_uri })),
    authorizePath("wiki", { redirect_uri: undefined }),
    authorizePath("wiki", { client_id: undefined }),
    authorizePath("evil"),
    authorizePath("WIKI"),
    `${authorizePath("wiki")}&client_id=wiki`,
    `${authorizePath("wiki")}&redirect_uri=${encodeURIComponent(REDIRECT_URI)}`,
    authorizePath("local", { redirect_uri: "http://localhost/callback" }),
    authorizePath("local", { redirect_uri: "http://127.0.0.1:0/callback" }),
    "/oauth/authorize",
    "/oauth/authorize?",
  ];
  for (const path of paths) {
    for (const more of ["", "&prompt=none", `&error_uri=https://evil.example&next=https://evil.example`]) {
      const sent = path + (path.includes("?") ? `&x=${SECRET}${more}` : "");
      await assertUntrusted(await member.get(sent), sent);
    }
  }
  ok(
    app.logLines.some((line) => line.includes("redirect_uri is missing, repeated or not one of this client")),
    "the log says why",
  );
  ok(!app.logLines.some((line) => line.includes(SECRET)));
});

Deno.test("a query has at most 4,096 characters", async () => {
  const path = authorizePath("portal", { state: "" });
  const state = "x".repeat(4_096 - path.split("?")[1].length);
  codeIn(answerTo(await member.get(authorizePath("portal", { state }))), "portal");
  await assertUntrusted(await member.get(authorizePath("portal", { state: `${state}x` })), "4,097");
});

Deno.test("everything else that is wrong goes to the app, with state and iss", async () => {
  const cases: [path: string, error: string][] = [
    [authorizePath("wiki", { response_type: undefined }), "invalid_request"],
    [authorizePath("wiki", { response_type: "token" }), "unsupported_response_type"],
    [authorizePath("wiki", { response_type: "code id_token" }), "unsupported_response_type"],
    [authorizePath("wiki", { response_mode: "fragment" }), "invalid_request"],
    [authorizePath("wiki", { request: "x" }), "request_not_supported"],
    [authorizePath("wiki", { request_uri: "https://evil.example" }), "request_uri_not_supported"],
    [authorizePath("wiki", { registration: "{}" }), "registration_not_supported"],
    [authorizePath("no-codes"), "unauthorized_client"],
    [authorizePath("wiki", { scope: "nothing" }), "invalid_scope"],
    [authorizePath("wiki", { resource: NOTES }), "invalid_target"],
    [`${authorizePath("phone", { resource: NOTES })}&resource=${NOTES}/other`, "invalid_target"],
    [authorizePath("wiki", { code_challenge: undefined, code_challenge_method: undefined }), "invalid_request"],
    [authorizePath("wiki", { code_challenge_method: "plain" }), "invalid_request"],
    [authorizePath("wiki", { code_challenge: "x" }), "invalid_request"],
    [authorizePath("wiki", { nonce: "x".repeat(513) }), "invalid_request"],
    [authorizePath("wiki", { max_age: "-1" }), "invalid_request"],
    [authorizePath("wiki", { prompt: "none login" }), "invalid_request"],
    [authorizePath("wiki", { prompt: "other" }), "invalid_request"],
    [`${authorizePath("wiki")}&scope=openid`, "invalid_request"],
  ];
  for (const [path, error] of cases) {
    for (const person of [member, app.client()]) {
      const response = await person.get(path);
      const answer = answerTo(response);
      deepStrictEqual([answer.error, answer.state, answer.iss, answer.code], [error, "s1", ISSUER, undefined], path);
      strictEqual(response.headers.get("Cache-Control"), "no-store");
    }
  }
  const twice = answerTo(await member.get(`${authorizePath("wiki")}&state=s2`));
  deepStrictEqual([twice.error, twice.state], ["invalid_request", undefined]);
});

Deno.test("only GET and POST are answered, and no other origin may read the page", async () => {
  for (const method of ["HEAD", "PUT", "PATCH", "DELETE"]) {
    const response = await member.request(authorizePath("portal"), { method, headers: { Origin: ISSUER } });
    deepStrictEqual([response.status, response.headers.get("Allow")], [405, "GET, POST, OPTIONS"], method);
    strictEqual(response.headers.get("Location"), null);
  }
  const headers = { "Origin": "https://app.example", "Access-Control-Request-Method": "GET" };
  const options = await member.request("/oauth/authorize", { method: "OPTIONS", headers });
  deepStrictEqual([options.status, options.headers.get("Allow")], [204, "GET, POST, OPTIONS"]);
  const read = await member.get(authorizePath("wiki"), { Origin: "https://app.example" });
  for (const response of [options, read]) strictEqual(response.headers.get("Access-Control-Allow-Origin"), null);
});

Deno.test("an image, a script or a page that is loaded in advance makes no code", async () => {
  const refused: Record<string, string>[] = [
    ...["image", "script", "empty", "style", "worker"].map((dest) => ({ "Sec-Fetch-Dest": dest })),
    { "Sec-Fetch-Dest": "document", "Sec-Purpose": "prefetch" },
    { "Sec-Fetch-Dest": "document", "Sec-Purpose": "prefetch;prerender" },
    { "Purpose": "prefetch" },
  ];
  for (const headers of refused) {
    const response = await member.get(authorizePath("portal"), headers);
    deepStrictEqual([response.status, response.headers.get("Location")], [403, null], JSON.stringify(headers));
  }
});

Deno.test("in a frame, the answer is a redirect at once: never a hop", async () => {
  const frame = { "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate" };
  for (const dest of ["iframe", "frame", "embed", "object"]) {
    const path = authorizePath("wiki", { prompt: "none" });
    const guest = answerTo(await app.client().get(path, { ...frame, "Sec-Fetch-Dest": dest }));
    strictEqual(guest.error, "login_required");
    const inside = answerTo(await member.get(path, { "Sec-Fetch-Site": "same-origin", "Sec-Fetch-Dest": dest }));
    strictEqual(inside.error, "consent_required");
    const login = await app.client().get(authorizePath("wiki"), { ...frame, "Sec-Fetch-Dest": dest });
    match(login.headers.get("Location")!, /^\/login\?/);
  }
});

Deno.test("a form of an app is sent again as a query", async () => {
  const post = (body: BodyInit, headers: Record<string, string> = {}) =>
    member.request("/oauth/authorize", {
      method: "POST",
      body,
      headers: {
        "Content-Type": "application/x-www-form-urlencoded",
        "Origin": "https://app.example",
        "Sec-Fetch-Site": "cross-site",
        ...headers,
      },
    });
  const query = authorizePath("wiki", { state: "a b+ü", scope: "openid email" }).split("?")[1];
  const again = await post(query);
  deepStrictEqual([again.status, again.headers.get("Location")], [303, `/oauth/authorize?${query}`]);
  const repeated = await post(`${query}&state=s2&resource=a&resource=b`);
  strictEqual(repeated.headers.get("Location"), `/oauth/authorize?${query}&state=s2&resource=a&resource=b`);
  await assertUntrusted(await post(`${query}&x=${"x".repeat(4_096)}`), "too long");
  await assertUntrusted(await post("x".repeat(70_000)), "much too long");
  await assertUntrusted(await post(`${query}&x=%ff`), "not UTF-8");
  await assertUntrusted(await post("{}", { "Content-Type": "application/json" }), "JSON");
  for (const origin of ["https://app.example", "null", "http://foyer.test.evil.example"]) {
    const forged = await post(`${query}&answer=allow`, { Origin: origin });
    deepStrictEqual([forged.status, forged.headers.get("Location")], [403, null]);
  }
});

Deno.test("an app that keeps asking waits, and others do not", async () => {
  const { client: person } = await registerVerifiedUser(app, "often@example.com");
  for (let i = 0; i < 3; i++) codeIn(answerTo(await person.get(authorizePath("portal"))), "portal");
  const page = await person.get(authorizePath("portal"));
  deepStrictEqual([page.status, page.headers.get("Retry-After"), page.headers.get("Location")], [429, "60", null]);
  match(await page.text(), /The portal asks too often[^]*Wait a minute/);
  const silent = answerTo(await person.get(authorizePath("portal", { prompt: "none" })));
  strictEqual(silent.error, "temporarily_unavailable");
  const consent = await openPage(person, authorizePath("wiki"));
  for (let i = 0; i < 3; i++) {
    codeIn(
      await movedAnswer(
        await press(app, person, await openPage(person, authorizePath("wiki", { prompt: "consent" })), "allow"),
      ),
      "wiki",
    );
  }
  strictEqual((await person.get(authorizePath("wiki", { prompt: "consent" }))).status, 429, "before it asks anyone");
  const late = await press(app, person, consent, "allow");
  deepStrictEqual([late.status, late.headers.get("Retry-After"), late.headers.get("Refresh")], [429, "60", null]);
  app.advance(61);
  codeIn(answerTo(await person.get(authorizePath("portal"))), "portal");
});

Deno.test("while the database is down, the page says so with 503", async () => {
  const failure = Object.assign(new Error("down"), { code: "ECONNREFUSED" });
  const response = await withFailingDatabase(app, failure, () => member.get(authorizePath("wiki")));
  deepStrictEqual([response.status, response.headers.get("Location")], [503, null]);
  match(response.headers.get("Content-Type")!, /^text\/html/);
});
