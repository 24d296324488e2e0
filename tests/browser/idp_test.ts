import { match, strictEqual } from "node:assert/strict";
import { launchBrowser, type Page, withPage } from "../support/browser.ts";
import { openIdpWorld } from "../support/idp_world.ts";

const world = await openIdpWorld();
const browser = await launchBrowser();
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

Deno.test("cancelling at the provider ends on the login page, which says so", () =>
  withPage(browser, async (page) => {
    await signIn(page, /cancel/);
    match((await page.getByRole("alert").textContent())!, /Login cancelled/);
  }));

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
