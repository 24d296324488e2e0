import { strictEqual } from "node:assert/strict";
import { prepareSigningKeys } from "../../lib/access/signing_keys.ts";
import { createFoyer } from "../../lib/client/foyer.ts";
import { mailedPath, PASSWORD } from "../support/app/accounts.ts";
import { writeClientsFile } from "../support/app/clients_file.ts";
import { type Page, withPage } from "../support/browser/browser.ts";
import { atHostName, BOTH_WAYS, openSharedSite } from "../support/browser/shared_site.ts";
import { freePort } from "../support/processes/free_port.ts";
import { addressOf, registrationOf, startWebClient } from "../support/processes/web_client.ts";

/** Someone comes from a product that needs a login, and has no account yet. */

const web = await startWebClient();
const port = freePort();
const product = `http://localhost:${port}`;
const CLIENTS_FILE = await writeClientsFile([registrationOf(web)]);
const { app, browser, url } = await openSharedSite(atHostName({ CLIENTS_FILE, RETURN_ORIGINS: product }));
await prepareSigningKeys(app.services);
web.issuer = url;
const foyer = createFoyer({ url, origin: product });
const server = Deno.serve({ port, hostname: "localhost", onListen() {} }, async (request) => {
  const session = await foyer.require(request).catch((refusal) => refusal);
  if (session instanceof Response) return session;
  return new Response(`<h1>Notes of ${session.user.name}</h1>`, { headers: { "Content-Type": "text/html" } });
});
Deno.test.afterAll(async () => {
  await server.shutdown();
  await web[Symbol.asyncDispose]();
});

/** Creates an account, and reads that an email has come. */
async function register(page: Page, email: string): Promise<void> {
  await page.getByRole("link", { name: "Create an account" }).click();
  await page.getByLabel("Your name").fill("Ada");
  await page.getByLabel("Email address").fill(email);
  await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
  await page.getByRole("button", { name: "Create account" }).click();
  await page.getByRole("heading", { name: "Confirm your email address" }).waitFor();
  await page.getByRole("status").getByText("We’ve emailed you a link to confirm your address.").waitFor();
}

async function confirm(page: Page, email: string): Promise<void> {
  await page.goto(url + await mailedPath(app, email));
  await page.getByRole("button", { name: "Yes, confirm my email" }).click();
}

for (const { way, javaScriptEnabled } of BOTH_WAYS) {
  Deno.test(`registration from a product confirms the address first, and leads back, ${way}`, () =>
    withPage(browser, async (page) => {
      const email = `product-${javaScriptEnabled}@example.com`;
      await page.goto(`${product}/notes`);
      await register(page, email);
      for (let i = 0; i < 5; i++) {
        await page.goto(`${product}/notes`);
        await page.getByRole("heading", { name: "Confirm your email address" }).waitFor();
      }
      await confirm(page, email);
      await page.getByRole("heading", { name: "Notes of Ada" }).waitFor();
      strictEqual(page.url(), `${product}/notes`);
    }, { javaScriptEnabled }));
}

Deno.test("registration from an app that signs people in confirms the address first, and leads back", () =>
  withPage(browser, async (page) => {
    const email = "app@example.com";
    await page.goto(addressOf(web));
    await register(page, email);
    await confirm(page, email);
    await page.getByRole("button", { name: "Allow" }).click();
    await page.getByRole("heading", { name: "Hello, Ada" }).waitFor();
    strictEqual(new URL(page.url()).origin, web.url);
  }, { ignoreHTTPSErrors: true }));
