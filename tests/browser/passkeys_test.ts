import { match, ok, strictEqual } from "node:assert/strict";
import { SECOND_MS } from "../../lib/duration.ts";
import { CHALLENGE_SECONDS } from "../../lib/sign_in/passkeys/challenge.ts";
import { PASSWORD, registerVerifiedUser } from "../support/app/accounts.ts";
import { type Page, withPage } from "../support/browser/browser.ts";
import { openSharedSite } from "../support/browser/shared_site.ts";
import { addVirtualAuthenticator } from "../support/browser/virtual_authenticator.ts";
import { waitFor } from "../support/wait_for.ts";

const site = await openSharedSite();
/** The site at a host name: browsers refuse passkeys at IP addresses. */
const url = site.url.replace("127.0.0.1", "localhost");
const SCRIPT_MAX_BYTES = 2000;
/** The counter of an authenticator that always sends 0. */
const NEVER_COUNTS = -1;
let people = 0;

/** Registers a user and gives the session to the browser. */
async function logIn(page: Page, at = url): Promise<string> {
  const email = `passkeys-${++people}@example.com`;
  const { client } = await registerVerifiedUser(site.app, email);
  await page.context().addCookies([...client.cookies].map(([name, value]) => ({ name, value, url: at })));
  return email;
}

async function addPasskey(page: Page, name: string): Promise<void> {
  await page.goto(`${url}/settings/sign-in-methods`);
  await page.getByRole("link", { name: "Add a passkey" }).click();
  await page.getByLabel("Name").fill(name);
  await page.getByRole("button", { name: "Create passkey" }).click();
  await assertNotice(page, /Passkey added/);
}

async function assertNotice(page: Page, text: RegExp): Promise<void> {
  await page.getByRole("status").filter({ hasText: text }).first().waitFor();
}

async function logOut(page: Page): Promise<void> {
  await page.context().clearCookies();
}

/** Runs in the page: counts how often it asks the browser for a passkey. */
function countPasskeyRequests(): void {
  const credentials = navigator.credentials;
  const get = credentials.get.bind(credentials);
  let requests = 0;
  credentials.get = (options) => {
    document.documentElement.dataset.passkeyRequests = String(++requests);
    return get(options);
  };
}

/** Opens a page on which autofill logs someone in, which may be before the page has loaded. */
async function openForAutofill(page: Page, path: string): Promise<void> {
  await page.goto(url + path, { waitUntil: "commit" });
}

async function methodOf(page: Page): Promise<string> {
  return await page.evaluate(async () => (await (await fetch("/api/account")).json()).data.session.method);
}

Deno.test("a member adds, renames and removes a passkey, and the browser forgets it", async () => {
  await withPage(site.browser, async (page) => {
    const authenticator = await addVirtualAuthenticator(page);
    await logIn(page);
    await page.goto(`${url}/settings/sign-in-methods`);
    await page.getByRole("link", { name: "Add a passkey" }).click();
    match(await page.getByLabel("Name").inputValue(), /^Passkey from .*Linux$/);
    await page.getByLabel("Name").fill("");
    await page.getByRole("button", { name: "Create passkey" }).click();
    await page.locator("#passkeyName-error").getByText("Enter a name for the passkey").waitFor();
    await page.waitForLoadState(); // Enter works once the script has run
    await page.getByLabel("Name").fill("Work laptop");
    await page.getByLabel("Name").press("Enter");
    await assertNotice(page, /Passkey added/);
    await page.getByRole("heading", { name: "Work laptop" }).waitFor();
    const before = await authenticator.credentials();
    ok(before.length >= 1 && before.every(({ rpId }) => rpId === "localhost"));

    await page.getByRole("link", { name: "Rename Work laptop" }).click();
    await page.getByLabel("Name").fill("Old laptop");
    await page.getByRole("button", { name: "Save name" }).click();
    await assertNotice(page, /Passkey renamed/);
    await page.getByRole("link", { name: "Remove Old laptop" }).click();
    await page.getByRole("heading", { name: "Remove Old laptop?" }).waitFor();
    await page.getByRole("button", { name: "Remove passkey" }).click();
    await assertNotice(page, /Passkey removed/);
    strictEqual(await page.getByRole("heading", { name: "Old laptop" }).count(), 0);
    await waitFor("the browser to forget it", async () => (await authenticator.credentials()).length === 0);
  }, { allow: [/status of 400/] });
});

Deno.test("the authenticator refuses a second passkey of one account, and the page says so", async () => {
  await withPage(site.browser, async (page) => {
    await addVirtualAuthenticator(page);
    await logIn(page);
    await addPasskey(page, "First");
    await page.goto(`${url}/settings/sign-in-methods/passkeys/add`);
    await page.getByRole("button", { name: "Create passkey" }).click();
    await page.getByRole("alert").getByText("already has a passkey").waitFor();
  });
});

Deno.test("a guest logs in by autofill, and gets to the page that they asked for", async () => {
  await withPage(site.browser, async (page) => {
    const authenticator = await addVirtualAuthenticator(page);
    await logIn(page);
    await addPasskey(page, "Phone");
    await logOut(page);
    await openForAutofill(page, "/settings/sessions");
    await page.waitForURL(`${url}/settings/sessions`);
    strictEqual(await methodOf(page), "passkey");
    strictEqual((await authenticator.credentials()).length, 1);
  });
});

Deno.test("a guest logs in by the button while autofill waits, after a mistake", async () => {
  await withPage(site.browser, async (page) => {
    const authenticator = await addVirtualAuthenticator(page);
    const email = await logIn(page);
    await addPasskey(page, "Phone");
    await logOut(page);
    await authenticator.confirm(false);
    const asked: string[] = [];
    page.on("request", (request) => asked.push(new URL(request.url()).pathname));
    await page.addInitScript(countPasskeyRequests);
    await page.goto(`${url}/users?x=1`);
    await page.goto(`${url}/login?next=%2Fsettings%2Factivity`, { waitUntil: "networkidle" });
    strictEqual(await page.getByLabel("Email address").getAttribute("autocomplete"), "username webauthn");
    const options = () => asked.filter((path) => path === "/auth/passkey/options").length;
    strictEqual(options(), 1, "the page offers passkeys");
    const button = page.getByRole("button", { name: "Continue with a passkey" });
    // In this order: what autofill offers must not be accepted meanwhile.
    await authenticator.recognize(false);
    await authenticator.confirm(true);
    await button.click();
    await page.getByRole("alert").getByText("No passkey was used").waitFor();
    await authenticator.confirm(false);
    await authenticator.recognize(true);
    // What autofill asks for now waits until the button asks again.
    await page.waitForFunction(() => document.documentElement.dataset.passkeyRequests === "3");
    await authenticator.confirm(true);
    await button.click();
    await page.waitForURL(`${url}/settings/activity`);
    match(await page.getByRole("main").innerText(), /Logged in with a passkey/);
    ok(email);
  });
});

Deno.test("a copied passkey gets a message above the form, and the activity shows it", async () => {
  await withPage(site.browser, async (page) => {
    const authenticator = await addVirtualAuthenticator(page);
    const email = await logIn(page);
    await addPasskey(page, "Phone");
    await logOut(page);
    await openForAutofill(page, "/login?next=%2Fsettings%2Factivity");
    await page.waitForURL(`${url}/settings/activity`);
    await logOut(page);
    await authenticator.setCounter(NEVER_COUNTS);
    await openForAutofill(page, "/login?next=%2Fdashboard");
    await page.getByRole("alert").getByText("We couldn’t log you in with that passkey").waitFor();
    await authenticator.confirm(false);
    await page.waitForLoadState("networkidle"); // autofill may have sent the form once more
    await page.goto(`${url}/login?next=%2Fdashboard`, { waitUntil: "networkidle" });
    await page.getByLabel("Email address").fill(email);
    await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await page.getByRole("button", { name: "Log in", exact: true }).click();
    await page.waitForURL(`${url}/dashboard`);
    await page.goto(`${url}/settings/activity`);
    match(await page.getByRole("main").innerText(), /the passkey may have been copied/);
  }, { allow: [/status of 401/] });
});

Deno.test("a passkey proves who someone is, before a dangerous form and inside it", async () => {
  await withPage(site.browser, async (page) => {
    await addVirtualAuthenticator(page);
    await logIn(page);
    await addPasskey(page, "Phone");
    site.app.advance(site.app.services.config.sudoSeconds + 1);
    await page.goto(`${url}/settings/email`);
    await page.getByRole("heading", { name: "Confirm it’s you" }).waitFor();
    await page.getByRole("button", { name: "Use a passkey" }).click();
    await page.waitForURL(`${url}/settings/email`);
    await page.getByLabel("New email address").fill("passkeys-new@example.com");
    site.app.advance(site.app.services.config.sudoSeconds + 1);
    await page.getByRole("main").locator("form").getByRole("button").last().click();
    await page.getByText("One more step").first().waitFor();
    strictEqual(await page.getByLabel("New email address").inputValue(), "passkeys-new@example.com");
    await page.getByRole("button", { name: "Use a passkey" }).click();
    await assertNotice(page, /Email sent/);
  }, { allow: [/status of 403/] });
});

Deno.test("a proof that has become too old is asked for where the passkey is added", async () => {
  await withPage(site.browser, async (page) => {
    await addVirtualAuthenticator(page);
    await logIn(page);
    await page.goto(`${url}/settings/sign-in-methods/passkeys/add`);
    await page.getByLabel("Name").fill("Late");
    site.app.advance(site.app.services.config.sudoSeconds + 1);
    await page.getByRole("button", { name: "Create passkey" }).click();
    await page.getByLabel("Your current password").fill(PASSWORD);
    await page.getByRole("button", { name: "Create passkey" }).click();
    await page.getByRole("alert").getByText("Choose “Create passkey” to continue.").waitFor();
    strictEqual(await page.getByLabel("Name").inputValue(), "Late");
    await page.getByRole("button", { name: "Create passkey" }).click();
    await assertNotice(page, /Passkey added/);
  }, { allow: [/status of 40[03]/] });
});

Deno.test("at 127.0.0.1, pages offer no passkeys but link to localhost", async () => {
  await withPage(site.browser, async (page) => {
    await page.goto(`${site.url}/login?next=%2Fprofile`, { waitUntil: "networkidle" });
    strictEqual(await page.getByRole("button", { name: "Continue with a passkey" }).isVisible(), false);
    await page.getByText("Passkeys don’t work at an IP address").waitFor();
    await page.getByRole("link", { name: "Go to localhost" }).click();
    await page.waitForURL(`${url}/login?next=%2Fprofile`);
    await page.getByRole("button", { name: "Continue with a passkey" }).waitFor();
    strictEqual(await page.getByText("Passkeys don’t work at an IP address").isVisible(), false);

    await logIn(page, site.url);
    await page.goto(`${site.url}/settings/sign-in-methods`);
    await page.getByText("Passkeys don’t work at an IP address").waitFor();
    strictEqual(await page.getByRole("link", { name: "Add a passkey" }).isVisible(), false);
  });
});

Deno.test("without WebAuthn, the login page shows nothing about passkeys, and the settings say why", async () => {
  await withPage(site.browser, async (page) => {
    await page.addInitScript(() => Reflect.deleteProperty(globalThis, "PublicKeyCredential"));
    await page.goto(`${url}/login`, { waitUntil: "networkidle" });
    strictEqual(await page.getByText(/passkey/i).filter({ visible: true }).count(), 0);
    await logIn(page);
    await page.goto(`${url}/settings/sign-in-methods`);
    await page.getByText("This browser doesn’t support passkeys").waitFor();
    strictEqual(await page.getByRole("link", { name: "Add a passkey" }).isVisible(), false);
  });
});

Deno.test("without scripts, passkeys are listed, renamed and removed, and no dead button is shown", async () => {
  await withPage(site.browser, async (page) => {
    const email = `passkeys-${++people}@example.com`;
    const { client, id } = await registerVerifiedUser(site.app, email);
    await site.app.services.db.insertInto("passkeys").values({
      id: crypto.randomUUID(),
      user_id: id,
      credential_id: `credential-${id}`,
      public_key: "x",
      counter: 0,
      transports: [],
      name: "Phone",
      backed_up: true,
      created_at: site.app.services.now(),
      last_used_at: null,
    }).execute();
    await page.context().addCookies([...client.cookies].map(([name, value]) => ({ name, value, url })));
    await page.goto(`${url}/settings/sign-in-methods`);
    match(await page.locator("noscript").innerText(), /Adding a passkey needs JavaScript/);
    strictEqual(await page.getByRole("link", { name: "Add a passkey" }).isVisible(), false);
    await page.getByRole("link", { name: "Rename Phone" }).click();
    await page.getByLabel("Name").fill("Tablet");
    await page.getByRole("button", { name: "Save name" }).click();
    await assertNotice(page, /Passkey renamed/);
    await page.getByRole("link", { name: "Remove Tablet" }).click();
    await page.getByRole("button", { name: "Remove passkey" }).click();
    await assertNotice(page, /Passkey removed/);
    await page.context().clearCookies();
    await page.goto(`${url}/login`);
    strictEqual(await page.getByText(/passkey/i).filter({ visible: true }).count(), 0);
  }, { javaScriptEnabled: false });
});

Deno.test("the challenge of autofill is renewed before it expires", async () => {
  await withPage(site.browser, async (page) => {
    await page.clock.install();
    const authenticator = await addVirtualAuthenticator(page);
    await authenticator.confirm(false);
    const renewed: string[] = [];
    page.on("response", (response) => response.url().endsWith("/auth/passkey/options") && renewed.push("asked"));
    await page.goto(`${url}/login`, { waitUntil: "networkidle" });
    strictEqual(renewed.length, 1);
    await page.clock.runFor(0.75 * CHALLENGE_SECONDS * SECOND_MS);
    strictEqual(renewed.length, 1);
    const next = page.waitForResponse((response) => response.url().endsWith("/auth/passkey/options"));
    await page.clock.runFor(0.15 * CHALLENGE_SECONDS * SECOND_MS);
    await next;
    strictEqual(renewed.length, 2);
  });
});

Deno.test("the script is at most 2 kB", async () => {
  const source = await Deno.readFile(new URL("../../static/passkeys.js", import.meta.url));
  const compressed = new Blob([source]).stream().pipeThrough(new CompressionStream("gzip"));
  const { length } = await new Response(compressed).bytes();
  ok(length <= SCRIPT_MAX_BYTES, `${length} bytes`);
});
