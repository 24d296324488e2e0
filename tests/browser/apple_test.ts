import { strictEqual } from "node:assert/strict";
import { serveTestApp } from "../support/app/served_app.ts";
import { launchBrowser, withPage } from "../support/browser/browser.ts";
import { startFakeApple } from "../support/providers/fake_apple.ts";

// The app on 127.0.0.1 and Apple on localhost: for browsers, these are two sites.
const apple = await startFakeApple();
const world = await serveTestApp(() => Promise.resolve({ IDP_PROVIDERS: "apple", ...apple.env }));
apple.now = () => world.app.services.now();
const browser = await launchBrowser();
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
