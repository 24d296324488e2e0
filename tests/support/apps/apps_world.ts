import { strictEqual } from "node:assert/strict";
import { prepareSigningKeys } from "../../../lib/access/signing_keys.ts";
import { createClientSecret, hashClientSecret } from "../../../lib/clients/client_secret.ts";
import { PASSWORD, type Registered, registerVerifiedUser } from "../app/accounts.ts";
import { writeClientsFile } from "../app/clients_file.ts";
import { deliverDueLogouts } from "../app/logout_receiver.ts";
import { openTestApp, type TestApp } from "../app/test_app.ts";
import { type Browser, launchBrowser, type Page } from "../browser/browser.ts";
import { freePort } from "../processes/free_port.ts";
import { readDocument } from "../source/documents.ts";

/** Foyer on localhost, a browser, and a person who has an account. All tests of a file share them. */
export interface AppsWorld {
  app: TestApp;
  /** The address of Foyer. */
  issuer: string;
  person: Registered;
  browser: Browser;
}

export const NAME = "Ada & <Lovelace>";

/** The secret of every confidential client. */
export const SECRET = createClientSecret();
const CONFIDENTIAL = { client_secret_hashes: [`sha256:${hashClientSecret(SECRET)}`] };

/**
 * Returns the client that a page of docs/connect/ registers, with the secret of the tests.
 *
 * @param url of the product, in place of the address on the page.
 */
export async function documentedClient(page: string, url: string): Promise<Record<string, unknown>> {
  const text = await readDocument(`docs/connect/${page}.md`);
  const [, client] = text.match(/```json\n([\s\S]*?)```/)!;
  const registered = JSON.parse(client.replaceAll("https://product.example.com", url));
  return "client_secret_hashes" in registered ? { ...registered, ...CONFIDENTIAL } : registered;
}

/** Starts Foyer with these clients in CLIENTS_FILE, and other settings. */
export async function openAppsWorld(
  clients: Record<string, unknown>[],
  env: Record<string, string> = {},
): Promise<AppsWorld> {
  const port = freePort();
  const issuer = `http://localhost:${port}`;
  const CLIENTS_FILE = await writeClientsFile(clients);
  const app = await openTestApp({ BASE_URL: issuer, CLIENTS_FILE, LOGIN_MAX_ATTEMPTS: "0", ...env }, { port });
  catchUp(app);
  await prepareSigningKeys(app.services);
  const browser = await launchBrowser();
  Deno.test.afterAll(async () => {
    await browser.close();
    await app[Symbol.asyncDispose]();
  });
  return { app, issuer, browser, person: await registerVerifiedUser(app, "ada@example.com", NAME) };
}

/** Sends the apps what Foyer has to tell them about sessions that have ended. */
export async function deliverLogouts({ app }: Pick<AppsWorld, "app">): Promise<void> {
  catchUp(app); // the messages are valid for two minutes, and packages may have been installed meanwhile
  while (await deliverDueLogouts(app.services) > 0);
}

/** Sets Foyer's clock, which stands still, to the time of the apps: they check times with their own clocks. */
function catchUp(app: TestApp): void {
  app.advance((Date.now() - app.services.now().getTime()) / 1000);
}

/** Logs in on the page of Foyer, after an app has sent the browser there, and allows the app what it asks for. */
export async function logInAtFoyer(page: Page, person: Pick<Registered, "email">): Promise<void> {
  await logInWithPassword(page, person);
  await page.getByRole("button", { name: "Allow" }).click();
}

/** Logs in on the page of Foyer. */
export async function logInWithPassword(page: Page, { email }: Pick<Registered, "email">): Promise<void> {
  await page.getByLabel("Email address").fill(email);
  await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
  await page.getByRole("button", { name: "Log in" }).click();
}

/** Fails unless the browser has no session at Foyer. */
export async function assertLoggedOut(page: Page, { issuer }: Pick<AppsWorld, "issuer">): Promise<void> {
  await page.goto(`${issuer}/dashboard`);
  strictEqual(page.url(), `${issuer}/login?next=%2Fdashboard`);
}
