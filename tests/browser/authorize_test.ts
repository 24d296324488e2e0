import { strictEqual } from "node:assert/strict";
import { prepareSigningKeys } from "../../lib/access/signing_keys.ts";
import { PASSWORD, registerVerifiedUser } from "../support/app/accounts.ts";
import { writeClientsFile } from "../support/app/clients_file.ts";
import { type Page, withPage } from "../support/browser/browser.ts";
import { atHostName, BOTH_WAYS, openSharedSite } from "../support/browser/shared_site.ts";
import { addressOf, registrationOf, startWebClient } from "../support/processes/web_client.ts";

/**
 * People sign in to an app on another site, with a phone: the service is at http://localhost, the app at
 * https://127.0.0.1.
 */

const web = await startWebClient();
/** Whether a proxy drops the headers that say where requests come from. Browsers do not send them on plain http. */
let hidesSite = false;
const CLIENTS_FILE = await writeClientsFile([registrationOf(web)]);
const site = await openSharedSite(atHostName({ CLIENTS_FILE }), (handler) => (req, info) => {
  if (!hidesSite) return handler(req, info);
  const headers = [...req.headers].filter(([name]) => !name.startsWith("sec-fetch-"));
  return handler(new Request(req, { headers }), info);
});
Deno.test.afterAll(() => web[Symbol.asyncDispose]());
const { app, browser } = site;
web.issuer = app.services.config.baseUrl;
await prepareSigningKeys(app.services);
const PHONE = { viewport: { width: 375, height: 667 }, ignoreHTTPSErrors: true };

async function logIn(page: Page, email: string): Promise<void> {
  await page.getByLabel("Email address").fill(email);
  await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
  await page.getByRole("button", { name: "Log in", exact: true }).click();
}

async function arrive(page: Page, heading: string): Promise<void> {
  await page.getByRole("heading", { name: heading }).waitFor();
  strictEqual(new URL(page.url()).origin, web.url);
}

Deno.test("a guest logs in and agrees; the next time, nothing is asked, without Sec-Fetch headers", async () => {
  const { email } = await registerVerifiedUser(app, "plain-http@example.com");
  hidesSite = true;
  await withPage(browser, async (page) => {
    await page.goto(web.url);
    await page.getByRole("link", { name: "Log in" }).click();
    await logIn(page, email);
    await page.getByRole("button", { name: "Allow" }).click();
    await arrive(page, "Hello, Ada Lovelace");
    await page.goto(web.url);
    await page.getByRole("link", { name: "Log in" }).click();
    await arrive(page, "Hello, Ada Lovelace");
    // Chromium governs the redirects of the login form, too.
    await page.context().clearCookies({ name: "auth_session" });
    await page.goto(addressOf(web));
    await logIn(page, email);
    await arrive(page, "Hello, Ada Lovelace");
  }, PHONE).finally(() => hidesSite = false);
});

for (const { way, javaScriptEnabled } of BOTH_WAYS) {
  Deno.test(`a guest logs in and agrees; the next time, nothing is asked, ${way}`, async () => {
    const { email } = await registerVerifiedUser(app, `phone-${javaScriptEnabled}@example.com`);
    await withPage(browser, async (page) => {
      await page.goto(web.url);
      await page.getByRole("link", { name: "Log in" }).click();
      await logIn(page, email);
      await page.getByRole("heading", { name: "Log in to The web app?" }).waitFor();
      await page.getByRole("button", { name: "Allow" }).click();
      await arrive(page, "Hello, Ada Lovelace");
      for (
        const again of [
          page.getByRole("link", { name: "Log in" }),
          page.getByRole("button", { name: "Log in by form" }),
        ]
      ) {
        await page.goto(web.url);
        await again.click();
        await arrive(page, "Hello, Ada Lovelace");
      }
      await page.goto(addressOf(web));
      await arrive(page, "Hello, Ada Lovelace");
    }, { ...PHONE, javaScriptEnabled });
  });

  Deno.test(`someone refuses, chooses another account, and then agrees, ${way}`, async () => {
    const { email } = await registerVerifiedUser(app, `refuses-${javaScriptEnabled}@example.com`, "Grace Hopper");
    await withPage(browser, async (page) => {
      await site.logIn(page.context(), `first-${javaScriptEnabled}@example.com`);
      await page.goto(web.url);
      await page.getByRole("button", { name: "Log in by form" }).click();
      await page.getByRole("button", { name: "Cancel" }).click();
      await arrive(page, "Refused: access_denied");
      await page.goto(addressOf(web, { prompt: "select_account" }));
      await page.getByRole("button", { name: "Use another account" }).click();
      await logIn(page, email);
      await page.getByRole("button", { name: "Allow" }).click();
      await arrive(page, "Hello, Grace Hopper");
    }, { ...PHONE, javaScriptEnabled });
  });

  Deno.test(`a double click on Allow signs in once, ${way}`, async () => {
    await withPage(browser, async (page) => {
      await site.logIn(page.context(), `double-${javaScriptEnabled}@example.com`);
      await page.goto(addressOf(web));
      await page.getByRole("button", { name: "Allow" }).dblclick();
      await arrive(page, "Hello, Ada Lovelace");
    }, { ...PHONE, javaScriptEnabled });
  });
}

Deno.test("a frame of another site gets its answer at once, and no page of ours", async () => {
  await withPage(browser, async (page) => {
    await site.logIn(page.context(), "framed@example.com");
    await page.goto(`${web.url}/frame`);
    await page.frameLocator("iframe").getByRole("heading", { name: "Refused: login_required" }).waitFor();
  }, PHONE);
});
