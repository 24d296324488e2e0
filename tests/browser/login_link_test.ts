import { strictEqual } from "node:assert/strict";
import { mailedPath, registerVerifiedUser } from "../support/app/accounts.ts";
import { withPage } from "../support/browser/browser.ts";
import { BOTH_WAYS, openSharedSite } from "../support/browser/shared_site.ts";

const { app, browser, url } = await openSharedSite({ SIGN_IN_CODES: "true" });
const ELSEWHERE = "Open this link in the browser where you asked for it, or type the code from the email there.";

for (const { way, javaScriptEnabled } of BOTH_WAYS) {
  Deno.test(`the link beside a code logs in where it was asked for, and nowhere else, ${way}`, async () => {
    const { email } = await registerVerifiedUser(app, `link-${javaScriptEnabled}@example.com`);
    const options = { javaScriptEnabled };
    await withPage(browser, async (page) => {
      await page.goto(`${url}/login-code?next=%2Fsettings%2Flanguage`);
      await page.getByLabel("Email address").fill(email);
      await page.getByRole("button", { name: "Email me a code" }).click();
      await page.getByRole("heading", { level: 1, name: "Check your email" }).waitFor();
      const link = url + await mailedPath(app, email);

      // A scanner, or the phone on which the email arrives.
      await withPage(browser, async (phone) => {
        for (let times = 0; times < 20; times++) await phone.goto(link);
        await phone.getByText(ELSEWHERE).waitFor();
        strictEqual(await phone.getByRole("main").getByRole("button").count(), 0);
        await phone.goto(`${url}/settings/language`);
        await phone.getByRole("heading", { level: 1, name: "Log in" }).waitFor();
      }, options);

      await page.goto(link);
      await page.getByText(email).waitFor();
      await page.getByRole("main").getByRole("button", { name: "Log in" }).click();
      await page.getByRole("heading", { level: 1, name: "Language" }).waitFor();
      await page.goto(link);
      await page.getByText("expired or has already been used").waitFor();
    }, options);
  });
}
