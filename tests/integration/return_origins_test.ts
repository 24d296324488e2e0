import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import {
  logIn,
  mailedCode,
  mailedPath,
  PASSWORD,
  registerUser,
  registerVerifiedUser,
} from "../support/app/accounts.ts";
import { startFalseProvider } from "../support/providers/false_provider.ts";
import { enableTotp, startLogin } from "../support/app/second_factor.ts";
import { openSharedTestApp } from "../support/app/test_app.ts";
import { markupProblems } from "../support/browser/markup.ts";
import { html, submit } from "../support/app/page_forms.ts";
import { Page, readPage } from "../support/app/page_reader.ts";
import type { TestClient } from "../support/app/test_client.ts";

const provider = await startFalseProvider();
Deno.test.afterAll(() => provider[Symbol.asyncDispose]());
const PRODUCT = "http://app.foyer.test";
const app = await openSharedTestApp({
  ...provider.env,
  COOKIE_DOMAIN: "foyer.test",
  RETURN_ORIGINS: PRODUCT,
  LOGIN_MAX_ATTEMPTS: "0",
  SIGN_IN_CODES: "true",
});
const CROSS_SITE = { "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate" };

const PAGE = `${PRODUCT}/wiki?title=a%26b;c`;
const NEXT = new URLSearchParams({ next: PAGE });
const EVIL = new URLSearchParams({ next: "http://evil.example/wiki" });

/** Fails unless a page of this site, which works without scripts, moves on to the page of the product. */
async function assertLeadsToProduct(client: TestClient, location: string): Promise<void> {
  match(location, /^\/continue\?/);
  const response = await client.get(location);
  strictEqual(response.status, 200);
  strictEqual(response.headers.get("Refresh"), `0; url=${PAGE}`);
  strictEqual((await readPage(response)).link("Continue").href, PAGE);
}

/** Fails unless the page that moves on redirects to the one that confirms the address. */
async function assertLeadsToConfirmation(client: TestClient, location: string, email: string): Promise<void> {
  match(location, /^\/continue\?/);
  const response = await client.get(location);
  const expected = `/verify-email?${new URLSearchParams({ email, next: PAGE })}`;
  deepStrictEqual([response.status, response.headers.get("Location")], [303, expected]);
  ok((await readPage(client.get(expected))).notice);
}

Deno.test("login leads to the product, also of someone who is already logged in", async () => {
  const { email } = await registerVerifiedUser(app, "login@example.com");
  const client = app.client();
  const page = await html(client, `/login?${NEXT}`);
  await assertLeadsToProduct(client, await submit(client, page, { email, password: PASSWORD }));
  const again = await client.get(`/login?${NEXT}`);
  strictEqual(again.status, 303);
  await assertLeadsToProduct(client, again.headers.get("Location")!);
});

Deno.test("a login that is refused first still leads to the product", async () => {
  const { email } = await registerVerifiedUser(app, "mistyped@example.com");
  const client = app.client();
  const refused = await client.submit(`/login?${NEXT}`, { email, password: "Wrong-horse-7" });
  strictEqual(refused.status, 401);
  await assertLeadsToProduct(client, await submit(client, await refused.text(), { email, password: PASSWORD }));
});

Deno.test("registration and its confirmation link lead to the product", async () => {
  const client = app.client();
  const { href } = (await readPage(client.get(`/login?${NEXT}`))).link("Create an account");
  const email = "register@example.com";
  const location = await submit(client, await html(client, href!), { name: "Ada", email, password: PASSWORD });
  await assertLeadsToConfirmation(client, location, email);
  await assertLeadsToConfirmation(client, (await client.get(`/login?${NEXT}`)).headers.get("Location")!, email);

  const link = await mailedPath(app, email);
  const fields = Object.fromEntries(new URLSearchParams(link.split("?")[1]));
  await assertLeadsToProduct(client, await submit(client, await html(client, link), { ...fields, action: "verify" }));
});

Deno.test("login with an unconfirmed address and a reset of the password keep the product", async () => {
  const { email } = await registerUser(app, "unconfirmed@example.com");
  await app.deliverMails();
  const client = app.client();
  const check = await submit(client, await html(client, `/login?${NEXT}`), { email, password: PASSWORD });
  await submit(client, await html(client, check), { email, action: "resend" });
  const link = await mailedPath(app, email);
  const fields = Object.fromEntries(new URLSearchParams(link.split("?")[1]));
  const login = await submit(client, await html(client, link), { ...fields, action: "verify" });
  await assertLeadsToProduct(client, await submit(client, await html(client, login), { email, password: PASSWORD }));

  await app.deliverMails(); // the alert of the login
  const guest = app.client();
  await submit(guest, await html(guest, `/forgot-password?${NEXT}`), { email });
  const reset = await mailedPath(app, email);
  const values = { ...Object.fromEntries(new URLSearchParams(reset.split("?")[1])), password: "Another-horse-8" };
  await assertLeadsToProduct(guest, await submit(guest, await html(guest, reset), values));
});

Deno.test("a sign-in with the provider leads to the product", async () => {
  provider.userinfo = { sub: "ada", email: "provider@example.com", email_verified: true, name: "Ada" };
  const client = app.client();
  const { links } = await readPage(client.get(`/login?${NEXT}`));
  const start = links.find(({ href }) => href!.startsWith("/auth/idp"))!.href!;
  const consent = (await client.get(start)).headers.get("Location")!;
  const { pathname, search } = provider.consent(consent);
  await assertLeadsToProduct(client, (await client.get(pathname + search)).headers.get("Location")!);
});

Deno.test("a logout leads to the product", async () => {
  const { client } = await registerVerifiedUser(app, "logout@example.com");
  const page = await html(client, `/logout?${NEXT}`);
  await assertLeadsToProduct(client, await submit(client, page, {}));
  strictEqual((await client.get("/auth/check")).status, 401);
  strictEqual((await readPage(client.get("/login"))).notice, null, "it does not wait for a later login");
});

Deno.test("the fourth leave of a browser for the same address within ten seconds stops, and explains", async () => {
  const { client } = await registerVerifiedUser(app, "loop@example.com");
  const other = new URLSearchParams({ next: `${PRODUCT}/other` });
  const leave = async (client: TestClient, next = NEXT) => {
    const response = await client.get(`/continue?${next}`);
    const text = await response.text();
    const isStopped = text.includes("has sent you back several times");
    strictEqual(response.status, 200);
    strictEqual(response.headers.has("Refresh"), !isStopped, text);
    strictEqual(response.headers.get("Cache-Control"), "no-store");
    return isStopped ? text : "left";
  };
  for (let i = 0; i < 3; i++) {
    deepStrictEqual([await leave(client), await leave(client, other)], ["left", "left"]);
    app.advance(3);
  }
  app.logLines.length = 0;
  const stopped = await leave(client);
  deepStrictEqual(await markupProblems(stopped), []);
  match(stopped, /app\.foyer\.test has sent you back/);
  strictEqual(new Page(stopped).link("Try again").href, PAGE);
  match(app.logLines.join("\n"), /"level":"warn".*sends people back.*"origin":"http:\/\/app\.foyer\.test"/);
  strictEqual(await leave(app.client()), "left", "another browser");
  app.advance(1);
  strictEqual(await leave(client), "left", "the first of the three is ten seconds ago");
  ok(await leave(client) !== "left");
  for (let i = 0; i < 40; i++) await leave(client, new URLSearchParams({ next: `${PRODUCT}/${i}` }));
  ok(client.cookies.get("leaves")!.length < 512);
  for (const cookie of ["x", "..", "a".repeat(4000), "%FF", "12345678Infinity"]) {
    strictEqual((await app.client().get(`/continue?${NEXT}`, { Cookie: `leaves=${cookie}` })).status, 200, cookie);
  }
});

Deno.test("no way in leads to an origin that is not listed", async () => {
  const { email } = await registerVerifiedUser(app, "evil@example.com");
  const client = app.client();
  app.logLines.length = 0;
  const page = await html(client, `/login?${EVIL}`);
  await html(client, `/login?${EVIL}`);
  for (const next of [PAGE, "/profile", "javascript:alert(1)"]) {
    await html(client, `/login?${new URLSearchParams({ next })}`);
  }
  const warnings = app.logLines.filter((line) => line.includes("RETURN_ORIGINS"));
  strictEqual(warnings.length, 1, warnings.join());
  match(warnings[0], /"level":"warn".*"origin":"http:\/\/evil\.example"/);
  ok(!page.includes("evil.example"));
  strictEqual(
    (await client.submit(`/login?${EVIL}`, { email, password: PASSWORD })).headers.get("Location"),
    "/dashboard",
  );
  strictEqual((await client.get(`/login?${EVIL}`)).headers.get("Location"), "/dashboard");

  await client.submit("/login-code", { action: "send", email });
  const code = await mailedCode(app, email);
  const totp = await enableTotp(app, (await registerVerifiedUser(app, "evil-step@example.com")).client);
  const closing = await registerVerifiedUser(app, "evil-closing@example.com");
  await closing.client.request("/api/account", { method: "DELETE" });
  await logIn(closing.client, closing.email);
  const others: [browser: TestClient, path: string, fields: Record<string, string>][] = [
    [app.client(), "/register", { name: "Ada", email: "evil-new@example.com", password: PASSWORD }],
    [app.client(), "/login-code", { email, code }],
    [await startLogin(app, "evil-step@example.com"), "/second-factor", { code: totp.code() }],
    [closing.client, "/keep-account", {}],
  ];
  for (const [browser, path, fields] of others) {
    const response = await browser.submit(`${path}?${EVIL}`, fields);
    deepStrictEqual([response.status, response.headers.get("Location")], [303, "/dashboard"], path);
  }
  for (const next of ["http://evil.example/", "//evil.example", "/profile", "javascript:alert(1)", ""]) {
    const response = await client.get(`/continue?${new URLSearchParams({ next })}`);
    strictEqual(response.headers.get("Location"), "/dashboard", next);
    strictEqual(response.headers.get("Refresh"), null, next);
  }
  strictEqual((await client.get("/continue")).headers.get("Location"), "/dashboard");
});

Deno.test("someone who arrives from another site with a session, by way of the product, goes straight back to it", async () => {
  const { client } = await registerVerifiedUser(app, "arriving@example.com");
  const token = client.cookies.get("auth_session")!;
  client.cookies.delete("auth_session"); // as browsers do on a navigation from another site
  const hop = await client.get(`/login?${NEXT}`, CROSS_SITE);
  strictEqual(hop.headers.get("Refresh"), "0");
  client.cookies.set("auth_session", token);
  const response = await client.get(`/login?${NEXT}`, {
    "Sec-Fetch-Site": "same-origin",
    "Sec-Fetch-Mode": "navigate",
  });
  await assertLeadsToProduct(client, response.headers.get("Location")!);
  ok(!client.cookies.has("same_site_hop"));

  const guest = app.client();
  await guest.get(`/login?${NEXT}`, CROSS_SITE);
  match(await html(guest, `/login?${NEXT}`), /<form/);
  strictEqual((await app.client().get("/login?next=%2Fprofile", CROSS_SITE)).headers.get("Refresh"), null);
});
