import { match, strictEqual } from "node:assert/strict";
import { openAccountMenu, withPage } from "../support/browser/browser.ts";
import { BOTH_WAYS, openSharedSite } from "../support/browser/shared_site.ts";
import { logIn } from "../support/app/accounts.ts";

const { app, browser, url } = await openSharedSite();
const [FIRST_PASSWORD, SECOND_PASSWORD] = ["Correct-horse-7", "Battery-staple-8"];

for (const { way, javaScriptEnabled } of BOTH_WAYS) {
  Deno.test(`a user registers, confirms the address, logs out, resets the password and logs in, ${way}`, async () => {
    const email = `ada-${javaScriptEnabled}@example.com`;
    await withPage(browser, async (page) => {
      const heading = (name: string | RegExp) => page.getByRole("heading", { level: 1, name }).waitFor();
      const press = (name: string) => page.getByRole("button", { name, exact: true }).click();
      const field = (label: string) => page.getByLabel(label, { exact: true });
      const notice = async (text: RegExp) => match(await page.getByRole("status").first().innerText(), text);

      await page.goto(`${url}/`);
      await page.getByRole("main").getByRole("link", { name: "Create account" }).click();
      await field("Your name").fill("Ada Lovelace");
      await field("Email address").fill(email);
      await field("Password").fill("short");
      await press("Create account");
      await page.locator("#password:focus").waitFor(); // autofocus happens after the page has loaded
      strictEqual(await field("Your name").inputValue(), "Ada Lovelace");
      strictEqual(await field("Password").inputValue(), "");
      match(await page.title(), /^Error: /);

      await field("Password").fill(FIRST_PASSWORD);
      await press("Create account");
      await heading("Hello, Ada Lovelace");
      await page.getByRole("heading", { name: "Confirm your email address" }).waitFor();
      await page.getByText(`We emailed a link to ${email}`).waitFor();

      await openAccountMenu(page);
      await press("Log out");
      await notice(/logged out/);
      await heading("Log in");
      await field("Email address").fill(email);
      await field("Password").fill(FIRST_PASSWORD);
      await press("Log in");
      await heading("Confirm your email address");
      await press("Email me a new link");
      await notice(/sent it a new link/);
      await heading("Check your email");

      await page.goto(await lastLink(email));
      await press("Yes, confirm my email");
      await heading("Log in");
      await notice(/confirmed/);

      await page.getByRole("link", { name: "Forgot your password?" }).click();
      await field("Email address").fill(email);
      await press("Email me a link");
      await heading("Check your email");
      await page.getByText(`If an account uses ${email}, we’ve emailed it a link`).waitFor();
      await page.goto(await lastLink(email));
      await field("New password").fill(SECOND_PASSWORD);
      await press("Save new password");
      await heading("Hello, Ada Lovelace");
      await page.getByText("Password changed. You’re logged in here").waitFor();
      await openAccountMenu(page);
      await press("Log out");
      await notice(/logged out/);

      await page.goto(`${url}/profile`);
      await heading("Log in");
      await field("Email address").fill(email);
      await field("Password").fill(SECOND_PASSWORD);
      await press("Log in");
      await heading("Your profile");
      await openAccountMenu(page);
      await page.getByRole("link", { name: "Dashboard" }).click();
      await heading("Hello, Ada Lovelace");
      strictEqual(await page.getByText("Confirm your email address").count(), 0);
    }, { javaScriptEnabled, allow: [/status of 400/] });
  });

  Deno.test(`the owner of an address deletes the account, and a used link offers a new one, ${way}`, async () => {
    const email = `owner-${javaScriptEnabled}@example.com`;
    await app.client().send("POST", "/auth/register", { name: "Mallory", email, password: FIRST_PASSWORD });
    const link = await lastLink(email);
    await withPage(browser, async (page) => {
      await page.goto(link);
      await page.getByRole("button", { name: "No, delete this account" }).click();
      await page.getByText("We’ve deleted the account").waitFor();
      await page.goto(link);
      await page.getByRole("alert").getByText("This link has expired or has already been used.").waitFor();
      await page.getByRole("button", { name: "Email me a new link" }).waitFor();
    }, { javaScriptEnabled });
    strictEqual((await logIn(app.client(), email, FIRST_PASSWORD)).status, 401);
  });
}

async function lastLink(email: string): Promise<string> {
  await app.deliverMails();
  return app.mails.findLast(({ to }) => to === email)!.text.match(/https?:\/\/\S+/)![0];
}
