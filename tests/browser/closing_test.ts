import { match, strictEqual } from "node:assert/strict";
import { PASSWORD, registerVerifiedUser } from "../support/app/accounts.ts";
import { openAccountMenu, withPage } from "../support/browser/browser.ts";
import { BOTH_WAYS, openSharedSite } from "../support/browser/shared_site.ts";

const { app, browser, url } = await openSharedSite();

for (const { way, javaScriptEnabled } of BOTH_WAYS) {
  Deno.test(`a user downloads their data, closes the account and keeps it, ${way}`, async () => {
    const { id, email } = await registerVerifiedUser(app, `closing-${javaScriptEnabled}@example.com`, "Ada Lovelace");
    await withPage(browser, async (page) => {
      const heading = (name: string) => page.getByRole("heading", { level: 1, name }).waitFor();
      const press = (name: string) => page.getByRole("button", { name, exact: true }).click();
      const follow = (name: string) => page.getByRole("link", { name, exact: true }).click();
      const notice = async (text: RegExp) => match(await page.getByRole("status").first().innerText(), text);
      const logIn = async () => {
        await page.getByLabel("Email address").fill(email);
        await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
        await press("Log in");
      };

      await page.goto(`${url}/settings/data`);
      await logIn();
      await heading("Your data");
      const [download] = await Promise.all([page.waitForEvent("download"), follow("Download my data")]);
      strictEqual(download.suggestedFilename(), "account.json");

      await follow("Delete account…");
      await heading("Delete your account");
      await press("Delete account");
      await notice(/Your account will be deleted/);
      await page.goto(`${url}/users/${id}`);
      await heading("Page not found");

      await page.goto(`${url}/profile`);
      await logIn();
      await heading("Keep your account?");
      await page.goto(`${url}/uploads`);
      await heading("Keep your account?");
      await press("Keep my account");
      await page.getByRole("heading", { level: 1, name: /upload|files/i }).waitFor();
      await notice(/Your account won’t be deleted/);
      await openAccountMenu(page);
    }, { javaScriptEnabled, allow: [/status of 404/] });
  });
}
