import { strictEqual } from "node:assert/strict";
import { MINUTE_SECONDS } from "../../lib/duration.ts";
import { PASSWORD, registerVerifiedUser } from "../support/app/accounts.ts";
import { type Page, sharedBrowser, withPage } from "../support/browser/browser.ts";
import { openIdpWorld } from "../support/providers/idp_world.ts";

const world = await openIdpWorld();
const browser = await sharedBrowser();
Deno.test.afterAll(async () => {
  await browser.close();
  await world[Symbol.asyncDispose]();
});
const { url } = world;

async function signIn(page: Page, choice: RegExp): Promise<void> {
  await page.goto(`${url}/login`);
  await page.getByRole("link", { name: "Continue with Example ID" }).click();
  await page.getByRole("button", { name: choice }).click();
}

for (const javaScriptEnabled of [true, false]) {
  Deno.test(`a sign-in with the provider ends on the dashboard, which shows the name, script ${javaScriptEnabled}`, () =>
    withPage(browser, async (page) => {
      for (const _time of ["first", "second"]) {
        await signIn(page, /Ada/);
        await page.getByRole("heading", { name: "Hello, Ada Lovelace" }).waitFor();
        strictEqual(page.url(), `${url}/dashboard`);
        await page.context().clearCookies({ name: "auth_session" });
      }
    }, { javaScriptEnabled }));
}

for (const javaScriptEnabled of [true, false]) {
  Deno.test(`two tabs that sign in at the same time end on the pages that they asked for, script ${javaScriptEnabled}`, () =>
    withPage(browser, async (first) => {
      const second = await first.context().newPage();
      const tabs: [Page, string][] = [[first, "/profile"], [second, "/uploads"]];
      for (const [page, path] of tabs) {
        await page.goto(url + path);
        await page.getByRole("link", { name: "Continue with Example ID" }).click();
      }
      await first.getByRole("button", { name: /Ada/ }).click();
      await first.getByText("You may have taken longer than ten minutes or started again in another tab.").waitFor();
      await first.getByRole("link", { name: "Log in" }).last().click();
      await first.getByRole("link", { name: "Continue with Example ID" }).click();
      await first.getByRole("button", { name: /Ada/ }).click();
      await first.waitForURL(`${url}/profile`);
      await second.getByRole("button", { name: /Ada/ }).click();
      await second.getByRole("heading", { name: "Your login attempt has expired" }).waitFor();
      await second.getByRole("link", { name: "Log in" }).last().click();
      await second.waitForURL(`${url}/uploads`);
    }, { javaScriptEnabled, allow: [/status of 400/] }));
}

Deno.test("coming back from the provider after ten minutes ends on a page that leads to where it started", () =>
  withPage(browser, async (page) => {
    await page.goto(`${url}/profile`);
    await page.getByRole("link", { name: "Continue with Example ID" }).click();
    world.app.advance(10 * MINUTE_SECONDS);
    // Browsers keep these for ten minutes, and the sealed attempt for a day.
    await page.context().clearCookies({ name: /^idp_(oauth_state|code_verifier|nonce)$/ });
    await page.getByRole("button", { name: /Ada/ }).click();
    await page.getByRole("heading", { name: "Your login attempt has expired" }).waitFor();
    await page.getByRole("link", { name: "Log in" }).last().click();
    await page.waitForURL(`${url}/login?next=%2Fprofile`);
    await page.getByRole("link", { name: "Continue with Example ID" }).click();
    await page.getByRole("button", { name: /Ada/ }).click();
    await page.waitForURL(`${url}/profile`);
  }, { allow: [/status of 400/] }));

Deno.test("a link from another site keeps the session; without one, it ends on the login page", () =>
  withPage(browser, async (page) => {
    const link = async () => {
      await page.goto(`${world.provider.issuer}/.well-known/openid-configuration`);
      await page.setContent(`<a href="${url}/dashboard">Go</a>`);
      await page.getByRole("link", { name: "Go" }).click();
    };
    await link();
    await page.waitForURL(`${url}/login?next=%2Fdashboard`);
    await signIn(page, /Ada/);
    await page.getByRole("heading", { name: "Hello, Ada Lovelace" }).waitFor();
    await link();
    await page.getByRole("heading", { name: "Hello, Ada Lovelace" }).waitFor();
  }));

Deno.test("a window opened by a sandboxed page, which is never same-site, ends on the login page", () =>
  withPage(browser, async (page) => {
    await signIn(page, /Ada/);
    await page.getByRole("heading", { name: "Hello, Ada Lovelace" }).waitFor();
    await page.goto(`${world.provider.issuer}/.well-known/openid-configuration`);
    await page.setContent(
      `<iframe sandbox="allow-popups allow-scripts" srcdoc="<a target=_blank href='${url}/dashboard'>Go</a>"></iframe>`,
    );
    const [popup] = await Promise.all([
      page.waitForEvent("popup"),
      page.frameLocator("iframe").getByRole("link", { name: "Go" }).click(),
    ]);
    await popup.waitForURL(`${url}/login?next=%2Fdashboard`);
  }));

for (const javaScriptEnabled of [true, false]) {
  Deno.test(`a member adds the provider, changes their mind, and adds it after all, script ${javaScriptEnabled}`, () =>
    withPage(browser, async (page) => {
      const { email } = await registerVerifiedUser(world.app, `adds-${javaScriptEnabled}@example.com`);
      const list = `${url}/settings/sign-in-methods`;
      const press = (name: string) => page.getByRole("button", { name, exact: true }).click();
      const chooseAtProvider = async (choice: RegExp) => {
        await page.getByRole("link", { name: "Connect Example ID" }).click();
        await press("Continue with Example ID");
        await page.getByRole("button", { name: choice }).click();
      };
      await page.goto(`${url}/login?next=/settings/sign-in-methods`);
      await page.getByLabel("Email address").fill(email);
      await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
      await press("Log in");
      await chooseAtProvider(/cancel/);
      await page.getByRole("alert").getByText("You canceled. Example ID hasn’t been connected.").waitFor();
      await chooseAtProvider(/Grace/);
      await page.getByText(`as grace@example.com will be able to log in to your account, ${email}.`).waitFor();
      await page.getByRole("link", { name: "Cancel" }).click();
      await page.waitForURL(list);
      await chooseAtProvider(/Grace/);
      await press("Connect Example ID");
      await page.getByRole("status").getByText("Account connected.").waitFor();
      await page.getByRole("link", { name: "Disconnect Example ID" }).click();
      await press("Disconnect Example ID");
      await page.getByRole("status").getByText("Account disconnected.").waitFor();
    }, { javaScriptEnabled }));
}

for (const javaScriptEnabled of [true, false]) {
  Deno.test(`an address of a domain with a provider leads there from the login form, script ${javaScriptEnabled}`, async () => {
    const { config } = world.app.services;
    config.signInDomains = [{ domain: "example.org", provider: "default" }];
    await withPage(browser, async (page) => {
      await page.goto(`${url}/login?next=%2Fprofile`);
      await page.getByLabel("Email address").fill("Someone@Example.org");
      await page.getByRole("button", { name: "Log in", exact: true }).click();
      await page.getByRole("button", { name: /Ada/ }).click();
      await page.waitForURL(`${url}/profile`);
    }, { javaScriptEnabled }).finally(() => config.signInDomains = []);
  });
}
