import { deepStrictEqual, match, ok } from "node:assert/strict";
import { createApiToken } from "../../lib/access/token_format.ts";
import { createToken as createSecret } from "../../lib/crypto/token.ts";
import { DAY_SECONDS } from "../../lib/duration.ts";
import { logIn, PASSWORD, registerVerifiedUser } from "../support/app/accounts.ts";
import { createToken } from "../support/app/api_tokens.ts";
import { readPage } from "../support/app/page_reader.ts";
import {
  BASE_URL,
  openSharedTestApp,
  openTestApp,
  openTestInstanceWith,
  PRODUCTION,
  type TestApp,
} from "../support/app/test_app.ts";

const app = await openSharedTestApp({ CORS_ORIGINS: "https://shop.example" });
const { client } = await registerVerifiedUser(app, "ada@example.com");
const cookie = () => client.cookies.get("auth_session")!;
const reader = await createToken(client, { scopes: ["profile:read"] });
const unknownToken = createApiToken();
const SOME_CONNECTION: Deno.ServeHandlerInfo = {
  remoteAddr: { transport: "tcp", hostname: "192.0.2.1", port: 40_000 },
  completed: Promise.resolve(),
};

/** Returns the explanations in the log lines of what `act` does. */
async function refusals(act: () => Promise<unknown>, { logLines }: TestApp = app): Promise<unknown[]> {
  const { length } = logLines;
  await act();
  return logLines.slice(length).map((line) => JSON.parse(line).refusal);
}

const withCookie = (value: string) => () => app.client().get("/api/profile", { Cookie: `auth_session=${value}` });

const CASES: Record<string, [act: () => Promise<unknown>, refusal: string | undefined]> = {
  "a request that is accepted": [() => client.get("/api/profile"), undefined],
  "a request that is not found": [() => client.get("/api/nothing"), undefined],
  "no session cookie": [
    () => app.client().get("/api/profile"),
    "401 UNAUTHENTICATED: Please log in: no auth_session cookie",
  ],
  "a cookie of another form": [
    withCookie("short"),
    "401 UNAUTHENTICATED: Please log in: the cookie auth_session does not have the form of a session token",
  ],
  "a cookie without a session": [
    withCookie(createSecret()),
    "401 UNAUTHENTICATED: Please log in: the cookie auth_session names no session: it has ended, or was opened elsewhere",
  ],
  "an API token without the scope": [
    () => app.client().send("PUT", "/api/profile", {}, reader.headers),
    "403 SCOPE_MISSING: the token has profile:read, the route requires profile:write",
  ],
  "an API token of another form": [
    () => app.client().get("/api/profile", { Authorization: "Bearer nonsense" }),
    "401 UNAUTHENTICATED: what the header Authorization presents does not have the form of an API token",
  ],
  "an API token that does not exist": [
    () => app.client().get("/api/profile", { Authorization: `Bearer ${unknownToken}` }),
    "401 UNAUTHENTICATED: the API token has ended or expired, or was never issued",
  ],
  "a page of another origin": [
    () => client.send("PUT", "/api/profile", {}, { Origin: "https://evil.example" }),
    "403 FORBIDDEN: Origin https://evil.example is neither BASE_URL (http://foyer.test) nor in CORS_ORIGINS (https://shop.example)",
  ],
  "a page that hides its origin": [
    () => client.send("PUT", "/api/profile", {}, { Origin: "null" }),
    "403 FORBIDDEN: Origin is null, not BASE_URL (http://foyer.test). Does a proxy set Origin, or Referrer-Policy: no-referrer?",
  ],
  "a page of our own behind a proxy that sets its origin": [
    () => client.send("PUT", "/api/profile", {}, { Origin: "http://127.0.0.1:8000", "Sec-Fetch-Site": "same-origin" }),
    "403 FORBIDDEN: Origin http://127.0.0.1:8000 is neither BASE_URL (http://foyer.test) nor in CORS_ORIGINS (https://shop.example). " +
    "The browser says that the page is from the address it was sent to: is BASE_URL right, or does a proxy set Origin?",
  ],
  "a page of another site that sends no origin": [
    () => client.send("PUT", "/api/profile", {}, { "Sec-Fetch-Site": "cross-site" }),
    "403 FORBIDDEN: Sec-Fetch-Site is cross-site, and there is no Origin",
  ],
  "a wrong password in a form": [
    () => app.client().submit("/login", { email: "ada@example.com", password: "wrong" }),
    "401 INVALID_CREDENTIALS: Invalid email or password",
  ],
};
for (const [what, [act, refusal]] of Object.entries(CASES)) {
  Deno.test(`the log explains: ${what}`, async () => {
    deepStrictEqual(await refusals(act), [refusal]);
  });
}

Deno.test("the log names the setting that refuses a registration", async () => {
  await using invited = await openTestInstanceWith(app, { registration: "invited" });
  const person = { name: "Grace", email: "grace@example.com", password: PASSWORD };
  deepStrictEqual(
    await refusals(() => invited.client().send("POST", "/auth/register", person)),
    ["403 REGISTRATION_CLOSED: REGISTRATION is invited"],
  );
});

Deno.test("the log says when a session expired or was last proved, and that two cookies disagree", async () => {
  const { client } = await registerVerifiedUser(app, "late@example.com");
  const other = await registerVerifiedUser(app, "other@example.com");
  const both = `auth_session=${client.cookies.get("auth_session")}; auth_session=${
    other.client.cookies.get("auth_session")
  }`;
  const provenAt = app.services.now().toISOString();
  const request = new Request(`${BASE_URL}/api/profile`, { headers: { Cookie: both } });
  deepStrictEqual(await refusals(() => app.handler(request, SOME_CONNECTION)), [
    "401 UNAUTHENTICATED: Please log in: the cookies auth_session name different sessions",
  ]);
  app.advance(DAY_SECONDS);
  deepStrictEqual(await refusals(() => client.request("/api/account", { method: "DELETE" })), [
    `403 REAUTHENTICATION_REQUIRED: the last proof in this session was at ${provenAt}, and SUDO_SECONDS is 900`,
  ]);
  await app.services.db.updateTable("sessions").set({ last_proof: "trusted_device" }).execute();
  deepStrictEqual(await refusals(() => client.request("/api/account", { method: "DELETE" })), [
    "403 REAUTHENTICATION_REQUIRED: the login skipped the second step on a trusted device",
  ]);
  const expiredAt = new Date(Date.parse(provenAt) + 7 * DAY_SECONDS * 1000).toISOString();
  app.advance(7 * DAY_SECONDS);
  deepStrictEqual(await refusals(() => client.get("/api/profile")), [
    `401 UNAUTHENTICATED: Please log in: the session of the cookie auth_session expired at ${expiredAt}`,
  ]);
});

Deno.test("the log contains no token and no cookie", () => {
  const log = app.logLines.join("\n");
  for (const secret of [cookie(), reader.token, unknownToken]) ok(!log.includes(secret));
});

Deno.test("production explains refused origins, and nothing that would cost a query", async () => {
  await using production = await openTestApp(PRODUCTION);
  const guest = production.client();
  deepStrictEqual(await refusals(() => guest.get("/api/profile"), production), [undefined]);
  const login = () => guest.request("/login", { method: "POST", headers: { Origin: "https://old.example" }, body: "" });
  deepStrictEqual(await refusals(login, production), [
    "403 FORBIDDEN: Origin https://old.example is neither BASE_URL (https://foyer.example) nor in CORS_ORIGINS (empty)",
  ]);
});

Deno.test("the page of a refused origin names the address to open, in each language", async () => {
  for (
    const [language, title] of [
      ["en", "This request came from another address"],
      ["de", "Diese Anfrage kam von einer anderen Adresse"],
      ["ar", "جاء هذا الطلب من عنوان آخر"],
    ]
  ) {
    const headers = { Origin: "https://evil.example", Accept: "text/html", "Accept-Language": language };
    const page = await (await app.client().request("/login", { method: "POST", headers, body: "" })).text();
    ok(page.includes(title) && page.includes(BASE_URL), page);
  }
});

/** Returns a response, and the fields of its log line. */
async function logged(response: Promise<Response>) {
  const { status, headers } = await response;
  const line = app.logLines.find((line) => line.includes(headers.get("X-Request-Id")!) && line.includes('"request"'))!;
  return { status, ...JSON.parse(line) };
}

Deno.test("the log line of a refused request has its code, and the user whom the request has already shown", async () => {
  const { id, client } = await registerVerifiedUser(app, "known@example.com");
  const guest = app.client();
  const cases: [response: Promise<Response>, code: string | undefined, userId?: string][] = [
    [client.get("/api/profile"), undefined],
    [client.send("PUT", "/api/profile", { name: "" }), "VALIDATION_FAILED", id],
    [client.submit("/profile", { name: "" }), "VALIDATION_FAILED", id],
    [client.get("/nothing"), "NOT_FOUND", id],
    [guest.get("/nothing"), "NOT_FOUND"],
    [client.request("/api/health", { method: "DELETE" }), "METHOD_NOT_ALLOWED"],
    [client.request("/api/health", { method: "PROPFIND" }), "METHOD_NOT_ALLOWED"],
    [logIn(guest, "known@example.com", "wrong"), "INVALID_CREDENTIALS"],
    [guest.send("PUT", "/api/profile", {}, reader.headers), "SCOPE_MISSING", await idOf("ada@example.com")],
  ];
  for (const [response, code, userId] of cases) {
    const line = await logged(response);
    deepStrictEqual([line.code, line.userId], [code, userId], JSON.stringify(line));
  }
});

async function idOf(email: string): Promise<string> {
  const { id } = await app.services.db.selectFrom("users").select("id").where("email", "=", email)
    .executeTakeFirstOrThrow();
  return id;
}

Deno.test("the page of an error of the service shows the id of its request, and no other page does", async () => {
  await using limited = await openTestApp({ LOGIN_MAX_ATTEMPTS: "1" });
  const page = { Accept: "text/html", "Sec-Fetch-Mode": "navigate" };
  const client = limited.client();
  const login = () => client.submit("/login", { email: "ada@example.com", password: "wrong" });
  const foreign = { ...page, Origin: "https://evil.example", "Content-Type": "application/x-www-form-urlencoded" };
  const cases: [status: number, open: () => Promise<Response>][] = [
    [200, () => client.get("/login", page)],
    [404, () => client.get("/nothing", page)],
    [401, login],
    [429, login],
    [403, () => client.request("/login", { method: "POST", headers: foreign, body: "email=x" })],
  ];
  for (const [status, open] of cases) {
    const response = await open();
    deepStrictEqual(response.status, status);
    ok(!(await response.text()).includes(response.headers.get("X-Request-Id")!), String(status));
  }
  await limited.services.db.destroy();
  const failed = await client.get("/users", { ...page, Cookie: `auth_session=${createSecret()}` });
  ok(failed.status >= 500);
  match((await readPage(failed)).text, new RegExp(`mention this request: ${failed.headers.get("X-Request-Id")}`));
});
