import { match, strictEqual } from "node:assert/strict";
import { registerVerifiedUser } from "../support/app/accounts.ts";
import { registerAdmin } from "../support/app/admins.ts";
import { withPage } from "../support/browser/browser.ts";
import { tabTo } from "../support/browser/keyboard.ts";
import { openSharedSite } from "../support/browser/shared_site.ts";

const { app, browser, url } = await openSharedSite();

Deno.test("an admin finds and suspends someone by keyboard alone, on a phone without scripts", async () => {
  const { client: admin } = await registerAdmin(app);
  const { client: person } = await registerVerifiedUser(app, "someone@example.com", "Some Person");
  await withPage(browser, async (page) => {
    await page.context().addCookies([...admin.cookies].map(([name, value]) => ({ name, value, url })));
    const press = async (name: string) => {
      await tabTo(page, name);
      await Promise.all([page.waitForEvent("load"), page.keyboard.press("Enter")]);
    };
    await page.goto(`${url}/admin`);
    await press("All");
    await tabTo(page, "Name, email address or id");
    await page.keyboard.type("some per");
    await press("Search");
    await press("Some Person");
    await press("Suspend");
    match(await page.getByRole("heading", { level: 1 }).innerText(), /Suspend this account/);
    await tabTo(page, "Reason");
    await page.keyboard.type("Reported by three people");
    await press("Suspend");
    match(await page.getByRole("status").first().innerText(), /suspended/i);
    match(await page.getByRole("main").innerText(), /Reported by three people/);
    strictEqual((await person.get("/api/profile")).status, 401);
  }, { javaScriptEnabled: false, viewport: { width: 320, height: 640 } });
});
