import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { PASSWORD, registerVerifiedUser } from "../support/app/accounts.ts";
import { createToken } from "../support/app/api_tokens.ts";
import { keepPresent, openTestApp } from "../support/app/test_app.ts";
import { type Page, sharedBrowser, withPage } from "../support/browser/browser.ts";
import { CADDY, ensure, NGINX } from "../support/prerequisites.ts";
import { freePort } from "../support/processes/free_port.ts";
import { type Guide, openGuide, settingsOfGuide, untilListening } from "../support/processes/guide.ts";

/** The ports of the document, and those of this test. */
const ports = { 8000: freePort(), 8080: freePort(), 8081: freePort(), 3000: freePort() };
const [foyer, proxy, product] = [ports[8000], ports[8080], ports[3000]].map((port) => `http://localhost:${port}`);
const app = await openTestApp(
  { BASE_URL: foyer, LOGIN_MAX_ATTEMPTS: "0", ...await settingsOfGuide(ports) },
  { port: ports[8000] },
);
keepPresent(app);
const browser = await sharedBrowser();
Deno.test.afterAll(async () => {
  await browser.close();
  await app[Symbol.asyncDispose]();
});
const { client, email } = await registerVerifiedUser(app, "ada@example.com", "Ada & <Lovelace>");

/** Opens the product as a guest, logs in, is greeted, and logs out. */
async function assertGreeting(page: Page, url: string, { guestUrl }: { guestUrl: string }): Promise<void> {
  await page.goto(`${guestUrl}`);
  await page.getByRole("heading", { name: "Hello, guest" }).waitFor();
  await page.getByRole("link", { name: "Log in" }).click();
  await page.getByLabel("Email address").fill(email);
  await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
  await page.getByRole("button", { name: "Log in" }).click();
  await page.getByRole("heading", { name: "Hello, Ada & <Lovelace>" }).waitFor();
  strictEqual(page.url(), url);
  await page.getByRole("link", { name: "Log out" }).click();
  await page.getByRole("button", { name: "Log out" }).click();
  await page.getByRole("heading", { name: "Hello, guest" }).waitFor();
  strictEqual(page.url(), guestUrl);
}

/** The way behind a proxy: what a browser sees, and what the three curl commands print. */
async function assertBehindProxy(guide: Guide): Promise<void> {
  await untilListening(ports[8080], ports[3000]);
  await withPage(browser, async (page) => {
    await assertGreeting(page, `${proxy}/`, { guestUrl: `${proxy}/open/` });
    await page.goto(`${proxy}/page`);
    strictEqual(page.url(), `${foyer}/login?${new URLSearchParams({ next: `${proxy}/page` })}`);
  });
  const output = await guide.run(guide.commands[2]);
  deepStrictEqual(output.match(/(?<=HTTP\/1.1 )\d+/g), ["401", "303", "200"], output);
  match(output, /Hello, guest/);
}

Deno.test("docs/integrating.md: a product behind nginx greets people and guests", async () => {
  await ensure(NGINX);
  await using guide = await openGuide("Behind a proxy", ports);
  guide.start(guide.commands[1]);
  await assertBehindProxy(guide);
});

Deno.test("docs/integrating.md: a product behind Caddy greets people and guests", async () => {
  await ensure(CADDY);
  await using guide = await openGuide("Behind a proxy", ports);
  guide.start(guide.commands[3]);
  await assertBehindProxy(guide);
});

Deno.test("docs/integrating.md: a browser app gets an access token, and its API verifies it", async () => {
  await using guide = await openGuide("Access tokens for a browser app", ports);
  match(guide.commands[0], /npm install jose@6\.2\.17\n/);
  guide.start(guide.commands[1]);
  await untilListening(ports[3000]);
  const allow = [/status of 401/]; // of a guest
  await withPage(
    browser,
    (page) => assertGreeting(page, `${product}/`, { guestUrl: `${product}/` }),
    { allow },
  );
  match(await guide.run(guide.commands[2]), /^HTTP\/1.1 401 /);
  const { accessToken } = await (await client.send("POST", "/auth/token", { audience: product })).json();
  const hello = (token: string) => fetch(`${product}/api/hello`, { headers: { Authorization: `Bearer ${token}` } });
  deepStrictEqual((await (await hello(accessToken)).json()).name, "Ada & <Lovelace>");
  const forged = await hello(accessToken.slice(0, -8) + "AAAAAAAA");
  deepStrictEqual([forged.status, await forged.json()], [401, { error: "Log in first" }]);
});

Deno.test("docs/integrating.md: a program with an API token edits the profile and uploads a photo", async () => {
  await using guide = await openGuide("API tokens for programs", ports);
  const { token } = await createToken(client, { scopes: ["profile:read", "profile:write", "uploads:write"] });
  const output = await guide.run(guide.commands[1].replace("foyer_...", token));
  const photo = /[\w-]{36}(?=\.webp)/;
  match(output, photo);
  strictEqual(
    output.replace("Ada & <Lovelace>", "Ada Lovelace").replace(photo, ""),
    guide.outputs[0].replace(photo, ""),
  );
  ok((await (await client.get("/api/profile")).json()).user.bio.startsWith("Updated by a program at "));
});
