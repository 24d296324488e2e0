import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { PASSWORD } from "../support/app/accounts.ts";
import { type Page, withPage } from "../support/browser/browser.ts";
import { codeOf, STEP_SECONDS } from "../support/app/second_factor.ts";
import { BOTH_WAYS, openSharedSite } from "../support/browser/shared_site.ts";

const site = await openSharedSite();

function press(page: Page, name: string): Promise<void> {
  return page.getByRole("button", { name, exact: true }).click();
}

async function logInWithCode(page: Page, { email, code }: { email: string; code: string }): Promise<void> {
  await page.context().clearCookies();
  await page.goto(`${site.url}/login?next=%2Fsettings%2Fsign-in-methods`);
  await page.getByLabel("Email address").fill(email);
  await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
  await press(page, "Log in");
  await page.getByRole("heading", { name: "Enter a code" }).waitFor();
  await page.getByLabel("Code").fill(code);
  await press(page, "Log in");
  await page.waitForURL(`${site.url}/settings/sign-in-methods`);
}

for (const { way, javaScriptEnabled } of BOTH_WAYS) {
  Deno.test(`a member adds an app, saves the codes, logs in with both and removes the app, ${way}`, async () => {
    const email = `app-${javaScriptEnabled}@example.com`;
    await withPage(site.browser, async (page) => {
      await site.logIn(page.context(), email);
      await page.goto(`${site.url}/settings/sign-in-methods`);
      await page.getByRole("link", { name: "Set up" }).click();
      await press(page, "Continue");
      await page.getByRole("img", { name: "QR code for your authenticator app" }).waitFor();
      const secret = (await page.locator("code.secret").innerText()).replaceAll(" ", "");
      await page.getByLabel("Code from the app").fill("12");
      await press(page, "Turn on");
      await page.locator("#code-error").getByText("Check that the time on your device is right").waitFor();
      await page.getByLabel("Code from the app").fill(codeOf(site.app, secret));
      await press(page, "Turn on");

      const items = page.getByRole("list", { name: "Recovery codes" }).getByRole("listitem");
      await items.first().waitFor();
      const codes = await items.allInnerTexts();
      strictEqual(codes.length, 10);
      await page.getByRole("status").getByText("Authenticator app turned on").waitFor();
      const downloading = page.waitForEvent("download");
      await page.getByRole("link", { name: "Download codes" }).click();
      const download = await downloading;
      strictEqual(download.suggestedFilename(), "recovery-codes.txt");
      const file = await Deno.readTextFile(await download.path());
      deepStrictEqual(file.split("\n").slice(1), codes);
      match(file, new RegExp(`^Recovery codes for Foyer, ${email}\\.`));
      const withoutScripts = page.getByText("use the print command of your browser");
      await withoutScripts.waitFor({ state: javaScriptEnabled ? "hidden" : "visible" });
      strictEqual(await page.getByRole("button", { name: "Copy codes" }).isVisible(), javaScriptEnabled);
      await page.getByRole("link", { name: "I’ve saved my codes" }).click();
      await page.getByText("10 recovery codes left").waitFor();

      site.app.advance(STEP_SECONDS);
      await logInWithCode(page, { email, code: codeOf(site.app, secret) });
      await logInWithCode(page, { email, code: codes[3].toLowerCase() });
      await page.getByText("9 recovery codes left").waitFor();
      await page.getByRole("link", { name: "Turn off" }).click();
      await press(page, "Turn off");
      await page.getByRole("status").getByText("You log in without a code now.").waitFor();
    }, { javaScriptEnabled, allow: [/status of 403/] });
  });
}

Deno.test("the recovery codes can be copied, and printed without the rest of the page", async () => {
  await withPage(site.browser, async (page) => {
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    const email = "print@example.com";
    await site.logIn(page.context(), email);
    await page.goto(`${site.url}/settings/sign-in-methods/authenticator`);
    await press(page, "Continue");
    const secret = (await page.locator("code.secret").innerText()).replaceAll(" ", "");
    await press(page, "Copy key");
    await page.getByRole("status").getByText("Key copied").waitFor();
    strictEqual((await page.evaluate(() => navigator.clipboard.readText())).replaceAll(" ", ""), secret);
    await page.getByLabel("Code from the app").fill(codeOf(site.app, secret));
    await press(page, "Turn on");
    const list = page.getByRole("list", { name: "Recovery codes" });
    await list.waitFor();
    const codes = await list.getByRole("listitem").allInnerTexts();
    await press(page, "Copy codes");
    await page.getByRole("status").getByText("Codes copied").waitFor();
    strictEqual(await page.evaluate(() => navigator.clipboard.readText()), codes.join("\n"));
    await page.evaluate(() => {
      globalThis.print = () => void document.body.setAttribute("data-printed", "");
    });
    await press(page, "Print codes");
    await page.locator("body[data-printed]").waitFor();
    await page.emulateMedia({ media: "print" });
    ok(await list.isVisible());
    for (const name of ["Copy codes", "Print codes"]) {
      ok(!await page.getByRole("button", { name, includeHidden: true }).isVisible());
    }
    ok(!await page.getByRole("link", { name: "I’ve saved my codes", includeHidden: true }).isVisible());
  });
});
