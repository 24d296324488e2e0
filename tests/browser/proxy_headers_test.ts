/** People use the service behind proxies that add, drop and change headers, by http with a name and by https. */
import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { escapeHtml } from "../../lib/mail/layout/blocks.ts";
import { PASSWORD } from "../support/app/accounts.ts";
import { authorizePath } from "../support/app/authorize_page.ts";
import { writeClientsFile } from "../support/app/clients_file.ts";
import { openTestApp, type TestApp } from "../support/app/test_app.ts";
import { launchBrowser, openAccountMenu, type Page, withPage } from "../support/browser/browser.ts";
import { type ChangingProxy, startChangingProxy } from "../support/processes/changing_proxy.ts";
import { freePort } from "../support/processes/free_port.ts";
import { startOidcProvider } from "../support/providers/oidc_provider.ts";

const HOST = "foyer.test";
const NO_SEC_FETCH = ["site", "mode", "dest", "user"].map((name) => `proxy_set_header Sec-Fetch-${name} "";`).join(" ");
const ADDS_NO_REFERRER = "add_header Referrer-Policy no-referrer always;";
const SETS_NO_REFERRER = `proxy_hide_header Referrer-Policy; ${ADDS_NO_REFERRER}`;

/** What proxies do to requests and responses, as directives of nginx. Everything works. */
const HARMLESS: Record<string, string> = {
  "changes nothing": "",
  "sends another Host": "proxy_set_header Host backend.internal;",
  "sends wrong X-Forwarded headers": ["For nonsense", "Proto gopher", "Host evil.example", "Port 1", "Prefix /x"]
    .map((header) => `proxy_set_header X-Forwarded-${header};`).join(" ") +
    ' proxy_set_header Forwarded "for=nonsense;host=evil.example;proto=gopher";',
  "drops Origin": 'proxy_set_header Origin "";',
  "drops Referer": 'proxy_set_header Referer "";',
  "drops Sec-Fetch": NO_SEC_FETCH,
  "drops Origin, Referer and Sec-Fetch": `proxy_set_header Origin ""; proxy_set_header Referer ""; ${NO_SEC_FETCH}`,
  "adds Referrer-Policy: no-referrer": ADDS_NO_REFERRER,
  "sets Referrer-Policy: no-referrer, and drops Sec-Fetch": `${SETS_NO_REFERRER} ${NO_SEC_FETCH}`,
  "drops Accept and Accept-Language": 'proxy_set_header Accept ""; proxy_set_header Accept-Language "";',
  "sends Accept: */*": "proxy_set_header Accept */*;",
  "compresses": "gzip on; gzip_types *;",
};
/** Whatever the proxy says, this cannot be told from a form of another site. */
const REFUSED: Record<string, { directives: string; cause: RegExp }> = {
  "sends the address of the service as Origin": {
    directives: "proxy_set_header Origin http://127.0.0.1:8000;",
    cause: /403 FORBIDDEN: Origin http:\/\/127\.0\.0\.1:8000 is neither BASE_URL \(https?:\/\/foyer\.test:\d+\) nor in/,
  },
  "sends Origin: null, and drops Sec-Fetch": {
    directives: `proxy_set_header Origin null; ${NO_SEC_FETCH}`,
    cause: /403 FORBIDDEN: Origin is null, not BASE_URL \(https?:\/\/foyer\.test:\d+\)\. Does a proxy set Origin, or/,
  },
};

const browser = await launchBrowser([`--host-resolver-rules=MAP ${HOST} 127.0.0.1`]);
const folder = await Deno.makeTempDir({ prefix: "foyer-headers-" });
Deno.test.afterAll(async () => {
  await browser.close();
  await Deno.remove(folder, { recursive: true });
});

/** A product, which people reach without the proxy. Its only page leads to the login. */
const product = { url: `http://localhost:${freePort()}`, page: "" };
const productServer = Deno.serve(
  { hostname: "127.0.0.1", port: Number(new URL(product.url).port), onListen() {} },
  () => new Response(product.page, { headers: { "Content-Type": "text/html" } }),
);
Deno.test.afterAll(() => productServer.shutdown());
const CLIENT_ID = "wiki";
const CLIENTS_FILE = await writeClientsFile([{
  client_id: CLIENT_ID,
  client_name: "Team wiki",
  redirect_uris: [`${product.url}/callback`],
  post_logout_redirect_uris: [`${product.url}/`],
}]);

/** Browsers send Sec-Fetch headers only by https, and to names of this machine. */
const SCHEMES = [
  { scheme: "http", javaScriptEnabled: true },
  { scheme: "https", javaScriptEnabled: false },
];

for (const { scheme, javaScriptEnabled } of SCHEMES) {
  const ports = { proxy: freePort(), app: freePort() };
  const origin = `${scheme}://${HOST}:${ports.proxy}`;
  const provider = await startOidcProvider({ redirectUri: `${origin}/auth/idp/callback` });
  const settings = { BASE_URL: origin, TRUSTED_PROXIES: "1", LOGIN_MAX_ATTEMPTS: "0", CLIENTS_FILE };
  const app = await openTestApp({ ...settings, ...provider.env, IDP_NAME: "Example ID" }, { port: ports.app });
  Deno.test.afterAll(async () => {
    await app[Symbol.asyncDispose]();
    await provider[Symbol.asyncDispose]();
  });

  const start = (directives: string): Promise<ChangingProxy> =>
    startChangingProxy(folder, { host: HOST, port: ports.proxy, isTls: scheme === "https", to: ports.app, directives });

  for (const [number, [what, directives]] of Object.entries(HARMLESS).entries()) {
    Deno.test(`by ${scheme}, behind a proxy that ${what}, all main forms work`, async () => {
      await using _proxy = await start(directives);
      const visit = { origin, email: `${scheme}-${number}@example.com`, app };
      await withPage(browser, (page) => useMainForms(page, visit), { javaScriptEnabled, ignoreHTTPSErrors: true });
    });

    Deno.test(`by ${scheme}, behind a proxy that ${what}, people sign in to a product with a provider`, async () => {
      await using _proxy = await start(directives);
      await withPage(browser, (page) => useProduct(page, origin), { javaScriptEnabled, ignoreHTTPSErrors: true });
    });
  }

  for (const [what, { directives, cause }] of Object.entries(REFUSED)) {
    Deno.test(`by ${scheme}, behind a proxy that ${what}, the page and the log say what is wrong`, async () => {
      await using _proxy = await start(directives);
      await withPage(browser, async (page) => {
        await page.goto(`${origin}/login`);
        await logIn(page, "someone@example.com");
        await page.getByRole("heading", { name: "This request came from another address" }).waitFor();
        await page.getByText(`Open ${origin} and try again. If you run this service: check BASE_URL`).waitFor();
        const line = app.logLines.findLast((line) => line.includes('"path":"/login"') && line.includes('"status":403'));
        match(JSON.parse(line!).refusal, cause);
      }, { ignoreHTTPSErrors: true, allow: [/status of 403/] });
    });
  }
}

interface Visit {
  origin: string;
  email: string;
  app: TestApp;
}

async function useMainForms(page: Page, { origin, email, app }: Visit): Promise<void> {
  const heading = (name: string) => page.getByRole("heading", { level: 1, name }).waitFor();
  const press = (name: string) => page.getByRole("button", { name, exact: true }).click();
  const field = (label: string) => page.getByLabel(label, { exact: true });

  await page.goto(`${origin}/register`);
  await field("Your name").fill("Ada Lovelace");
  await field("Email address").fill(email);
  await field("Password").fill(PASSWORD);
  await press("Create account");
  await heading("Hello, Ada Lovelace");
  await app.services.db.updateTable("users").set({ email_verified: true }).where("email", "=", email).execute();
  await openAccountMenu(page);
  await press("Log out");
  await heading("Log in");
  await logIn(page, email);
  await heading("Hello, Ada Lovelace");

  await page.goto(`${origin}/profile`);
  await page.getByLabel("About you").fill("First programmer.");
  await press("Save profile");
  await page.getByText("Profile saved.").waitFor();
  await page.goto(`${origin}/settings/tokens/new`);
  await page.getByLabel("Name").fill("Backup");
  await page.getByLabel("See your files").check();
  await press("Create a token");
  await page.getByText("API token created.").waitFor();

  await openAccountMenu(page);
  await press("Log out");
  await heading("Log in");
  await page.goto(`${origin}/forgot-password`);
  await field("Email address").fill(email);
  await press("Email me a link");
  await heading("Check your email");
  strictEqual(new URL(page.url()).origin, origin);
}

/** Signs in to the product with the provider, again with the session, and out. */
async function useProduct(page: Page, origin: string): Promise<void> {
  const press = (name: string | RegExp) => page.getByRole("button", { name }).click();
  const authorize = authorizePath(CLIENT_ID, { redirect_uri: `${product.url}/callback`, state: "of the product" });
  const logout = { client_id: CLIENT_ID, post_logout_redirect_uri: `${product.url}/` };
  product.page = `<!DOCTYPE html><link rel="icon" href="data:,">
    <a href="${escapeHtml(origin + authorize)}">Log in</a>
    <a href="${escapeHtml(`${origin}/oauth/logout?${new URLSearchParams(logout)}`)}">Log out</a>`;
  const allow = async () => {
    await page.getByRole("heading", { name: "Log in to Team wiki?" }).waitFor();
    await press("Allow");
    await page.waitForURL(`${product.url}/callback?**`);
    const answer = new URL(page.url()).searchParams;
    deepStrictEqual([...answer.keys(), answer.get("state")], ["code", "state", "iss", "of the product"]);
  };

  await page.goto(product.url);
  await page.getByRole("link", { name: "Log in" }).click();
  await page.getByRole("link", { name: "Continue with Example ID" }).click();
  await press(/Ada/);
  await allow();
  await page.getByRole("link", { name: "Log in" }).click();
  await allow();
  await page.getByRole("link", { name: "Log out" }).click();
  await page.getByRole("main").getByRole("button", { name: "Log out" }).click();
  await page.waitForURL(`${product.url}/`);
  await page.goto(`${origin}/dashboard`);
  await page.waitForURL(`${origin}/login?next=%2Fdashboard`);
}

async function logIn(page: Page, email: string): Promise<void> {
  await page.getByLabel("Email address", { exact: true }).fill(email);
  await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
  await page.getByRole("button", { name: "Log in", exact: true }).click();
}
