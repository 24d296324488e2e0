import { strictEqual } from "node:assert/strict";
import { PASSWORD, registerVerifiedUser } from "../support/app/accounts.ts";
import { withPage } from "../support/browser/browser.ts";
import { BOTH_WAYS, openSharedSite } from "../support/browser/shared_site.ts";

const { app, browser, url } = await openSharedSite();
const [THIEF_PASSWORD, NEW_PASSWORD] = ["Battery-staple-8", "Another-horse-8"];

for (const { way, javaScriptEnabled } of BOTH_WAYS) {
  Deno.test(`an owner takes the account back from a thief who changed the password and the address, ${way}`, async () => {
    const { email } = await registerVerifiedUser(app, `robbed-${javaScriptEnabled}@example.com`);
    const thiefEmail = `thief-${javaScriptEnabled}@example.com`;
    const options = { javaScriptEnabled };

    await withPage(browser, async (page) => {
      await page.goto(`${url}/login?next=%2Fsettings%2Fpassword`);
      await page.getByLabel("Email address").fill(email);
      await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
      await page.getByRole("button", { name: "Log in" }).click();
      await page.getByLabel("Your current password", { exact: true }).fill(PASSWORD);
      await page.getByLabel("New password", { exact: true }).fill(THIEF_PASSWORD);
      await page.getByRole("button", { name: "Change password" }).click();
      await page.getByText("Password changed.").waitFor();

      await page.getByRole("navigation", { name: "Settings" }).getByRole("link", { name: "Email" }).click();
      await page.getByLabel("New email address").fill(thiefEmail);
      await page.getByRole("button", { name: "Email me a link" }).click();
      await page.getByText("Email sent. Check your spam folder too.").waitFor();
      await page.goto(await lastLink(thiefEmail));
      await page.getByRole("button", { name: "Yes, use this address" }).click();
      await page.getByText("Email address changed.").waitFor();
      await page.getByText(`Your email address is ${thiefEmail}.`).waitFor();

      await withPage(browser, async (ownerPage) => {
        await ownerPage.goto(await lastLink(email, "Your Foyer password was changed"));
        await ownerPage.getByText(`make ${email} the email address of your account`).waitFor();
        await ownerPage.getByRole("button", { name: "Secure my account" }).click();
        await ownerPage.getByText("Your account is secure.").waitFor();
        await ownerPage.goto(await lastLink(email, "Choose a new Foyer password"));
        await ownerPage.getByLabel("New password", { exact: true }).fill(NEW_PASSWORD);
        await ownerPage.getByRole("button", { name: "Save new password" }).click();
        await ownerPage.getByRole("heading", { level: 1, name: "Hello, Ada Lovelace" }).waitFor();
      }, options);

      await page.goto(`${url}/settings/email`);
      await page.getByRole("heading", { level: 1, name: "Log in" }).waitFor();
    }, options);
    const login = { email: thiefEmail, password: THIEF_PASSWORD };
    strictEqual((await app.client().send("POST", "/auth/login", login)).status, 401);
  });

  Deno.test(`a browser that opens emailed links and presses nothing changes nothing, ${way}`, async () => {
    const { client, email } = await registerVerifiedUser(app, `scanned-${javaScriptEnabled}@example.com`);
    const newEmail = `scanned-new-${javaScriptEnabled}@example.com`;
    strictEqual((await client.send("POST", "/api/account/email", { email: newEmail })).status, 200);
    for (const link of [await lastLink(newEmail), await lastLink(email)]) {
      await withPage(browser, async (page) => {
        await page.goto(link, { waitUntil: "networkidle" });
        await page.getByRole("main").getByRole("button").waitFor();
      }, { javaScriptEnabled });
    }
    const { user } = await (await client.get("/api/profile")).json();
    strictEqual(user.email, email);
  });
}

async function lastLink(address: string, subject?: string): Promise<string> {
  await app.deliverMails();
  const mail = app.mails.findLast((mail) =>
    mail.to === address && (subject === undefined || mail.subject === subject)
  )!;
  return mail.text.match(/https?:\/\/\S+/)![0];
}
