import { strictEqual } from "node:assert/strict";
import { serveTestApp } from "../support/app/served_app.ts";
import { sharedBrowser, withPage } from "../support/browser/browser.ts";
import { startFakeApple } from "../support/providers/fake_apple.ts";
import { startOidcApple } from "../support/providers/oidc_apple.ts";
import type { OidcProvider } from "../support/providers/oidc_provider.ts";

// The app on 127.0.0.1 and Apple on localhost: for browsers, these are two sites.
const apple = await startFakeApple();
const world = await serveTestApp(() => Promise.resolve({ IDP_PROVIDERS: "apple", ...apple.env }));
apple.now = () => world.app.services.now();
const browser = await sharedBrowser();
Deno.test.afterAll(async () => {
  await browser.close();
  await world[Symbol.asyncDispose]();
  await apple[Symbol.asyncDispose]();
});

for (const javaScriptEnabled of [true, false]) {
  Deno.test(`the form that Apple posts from its own site ends where the sign-in began, script ${javaScriptEnabled}`, () =>
    withPage(browser, async (page) => {
      const sub = `ada-${javaScriptEnabled}`;
      const name = { firstName: "Ada", lastName: "Lovelace" };
      apple.person = { sub, name, email: `${sub}@example.com`, email_verified: "true" };
      for (const [path, heading] of [["/dashboard", "Hello, Ada Lovelace"], ["/uploads", "Your files"]]) {
        await page.goto(world.url + path);
        await page.getByRole("link", { name: "Continue with Apple" }).click();
        await page.getByRole("button", { name: `Continue as ${sub}` }).click();
        await page.getByRole("heading", { name: heading }).waitFor();
        strictEqual(page.url(), world.url + path);
        await page.context().clearCookies({ name: "auth_session" });
      }
      const kept = await page.context().cookies();
      strictEqual(kept.some((cookie) => cookie.name === "idp_answer"), false);
    }, { javaScriptEnabled }));
}

Deno.test("a provider of others that posts its answer, with signed secrets, opens a session like Apple", async () => {
  let provider!: OidcProvider;
  let now = () => new Date();
  await using site = await serveTestApp(async (url) => {
    provider = await startOidcApple({ redirectUri: `${url}/auth/idp/apple/callback`, now: () => now() });
    return provider.env;
  });
  await using _provider = provider;
  now = () => site.app.services.now();
  for (const javaScriptEnabled of [true, false]) {
    await withPage(browser, async (page) => {
      await page.goto(`${site.url}/uploads`);
      await page.getByRole("link", { name: "Continue with Apple" }).click();
      await page.getByRole("button", { name: "ada@example.com" }).click();
      if (!javaScriptEnabled) await page.getByRole("button", { name: "Continue" }).click();
      await page.getByRole("heading", { name: "Your files" }).waitFor();
      strictEqual(page.url(), `${site.url}/uploads`);
    }, { javaScriptEnabled });
  }
  const { email_verified } = await site.app.services.db.selectFrom("users").select("email_verified")
    .where("email", "=", "ada@example.com").executeTakeFirstOrThrow();
  strictEqual(email_verified, true);
});
