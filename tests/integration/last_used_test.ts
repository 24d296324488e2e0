import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { logIn, mailedCode, registerVerifiedUser } from "../support/app/accounts.ts";
import { readPage } from "../support/app/page_reader.ts";
import { addPasskey, requestOptions, sendCredential } from "../support/app/passkeys.ts";
import { enableTotp, startLogin } from "../support/app/second_factor.ts";
import { startFalseProvider } from "../support/providers/false_provider.ts";
import { envOf, signIn, signInAt } from "../support/providers/idp.ts";
import { openSharedTestApp } from "../support/app/test_app.ts";
import type { TestClient } from "../support/app/test_client.ts";

const provider = await startFalseProvider();
Deno.test.afterAll(() => provider[Symbol.asyncDispose]());
const app = await openSharedTestApp({
  ...provider.env,
  IDP_NAME: "Example",
  IDP_PROVIDERS: "contoso",
  ...envOf("contoso", provider.env),
  IDP_CONTOSO_NAME: "Contoso",
  SIGN_IN_CODES: "true",
  LOGIN_MAX_ATTEMPTS: "0",
});

/** The texts of the buttons and links on /login that are marked. */
async function markedWays(client: TestClient, path = "/login"): Promise<string[]> {
  const page = await readPage(client.get(path));
  const ways = page.textsAt('[aria-describedby="last-used"]').map((text) => text.replace(" Last used", ""));
  strictEqual(page.findAll('#last-used.tag[aria-hidden="true"]').length, ways.length);
  return ways;
}

/** The marked ways when a person who has logged in with `client` comes back to the login. */
async function markedLater(client: TestClient): Promise<string[]> {
  strictEqual((await client.request("/auth/logout", { method: "POST" })).status, 200);
  return await markedWays(client);
}

async function person(name: string) {
  const { email } = await registerVerifiedUser(app, `${name}@example.com`);
  return { email, client: app.client() };
}

Deno.test("the login page marks the way that was used last, also after a logout", async () => {
  const { client, email } = await registerVerifiedUser(app, "ada@example.com");
  const { authenticator } = await addPasskey(client);
  deepStrictEqual(await markedWays(app.client()), []);

  const response = await logIn(client, email);
  const lines = response.headers.getSetCookie().filter((line) => line.startsWith("last_used="));
  deepStrictEqual(lines, ["last_used=password; Max-Age=31536000; Path=/; HttpOnly; SameSite=Lax"]);
  deepStrictEqual(await markedLater(client), ["Log in"]);

  await sendCredential(client, await authenticator.get(await requestOptions(client)));
  deepStrictEqual(await markedLater(client), ["Continue with a passkey"]);

  await client.send("POST", "/auth/code", { email });
  const code = await mailedCode(app, email);
  strictEqual((await client.send("POST", "/auth/code/verify", { email, code })).status, 200);
  deepStrictEqual(await markedLater(client), ["Email me a login code"]);
  deepStrictEqual(await markedWays(app.client()), [], "other browsers get no mark, although markup is repeated");
});

Deno.test("each provider is marked by itself", async () => {
  const client = app.client();
  const ada = { sub: "ada", email: "ada@contoso.example", email_verified: true, name: "Ada" };
  await signIn(app, provider, ada, client);
  deepStrictEqual(await markedLater(client), ["Continue with Example"]);
  provider.userinfo = { ...ada, sub: "eve", email: "eve@contoso.example" };
  await signInAt("contoso", { client, consent: (screen) => provider.consent(screen) });
  deepStrictEqual(await markedLater(client), ["Continue with Contoso"]);
});

Deno.test("a second step keeps the way of the first one", async () => {
  const { client, email } = await registerVerifiedUser(app, "two@example.com");
  const { code } = await enableTotp(app, client);
  const browser = await startLogin(app, email);
  deepStrictEqual(await markedWays(browser), [], "no one has logged in yet");
  strictEqual((await browser.send("POST", "/auth/second-factor", { code: code() })).status, 200);
  deepStrictEqual(await markedLater(browser), ["Log in"]);

  const other = app.client();
  const two = { sub: "two", email, email_verified: true, name: "Two" };
  const { headers } = await signIn(app, provider, two, other);
  strictEqual(headers.get("Location"), "/second-factor");
  app.advance(30);
  strictEqual((await other.send("POST", "/auth/second-factor", { code: code() })).status, 200);
  deepStrictEqual(await markedLater(other), ["Continue with Example"]);
});

Deno.test("a refused login marks nothing, and a form that is shown again keeps the mark", async () => {
  const { client, email } = await person("refused");
  await logIn(client, email, "wrong");
  deepStrictEqual([client.cookies.has("last_used"), await markedWays(client)], [false, []]);
  client.cookies.set("last_used", "passkey");
  deepStrictEqual(await markedWays(client, "/login?email=ada%40example.com&next=%2Fuploads"), [
    "Continue with a passkey",
  ]);
});

Deno.test("a cookie that names no way on the page marks nothing", async () => {
  for (const value of ["idp-gone", "idp-", "contoso", "invitation", "%3Cb%3E", "%", "__proto__", "x".repeat(3_000)]) {
    const client = app.client();
    client.cookies.set("last_used", value);
    deepStrictEqual([value, await markedWays(client)], [value, []]);
  }
});
