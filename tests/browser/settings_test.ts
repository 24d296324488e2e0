import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { DAY_SECONDS, MINUTE_SECONDS, secondsAfter } from "../../lib/duration.ts";
import { logIn, PASSWORD } from "../support/app/accounts.ts";
import { openAccountMenu, type Page, withPage } from "../support/browser/browser.ts";
import { BOTH_WAYS, openSharedSite } from "../support/browser/shared_site.ts";
import { settle } from "../support/browser/shifts.ts";

declare global {
  var shownTimes: string[][];
}

const site = await openSharedSite();
const PHONE = { width: 320, height: 640 };

function press(page: Page, name: string): Promise<void> {
  return page.getByRole("button", { name, exact: true }).click();
}

async function assertNotice(page: Page, text: RegExp): Promise<void> {
  match(await page.getByRole("status").first().innerText(), text);
}

/** Logs in to the account elsewhere. Returns the status of a request with that session. */
async function logInElsewhere(email: string): Promise<() => Promise<number>> {
  const client = site.app.client();
  await logIn(client, email);
  return async () => (await client.get("/api/profile")).status;
}

for (const { way, javaScriptEnabled } of BOTH_WAYS) {
  Deno.test(`a member ends all other sessions in three taps on a phone, then one, ${way}`, async () => {
    const email = `sessions-${javaScriptEnabled}@example.com`;
    await withPage(site.browser, async (page) => {
      await site.logIn(page.context(), email);
      const elsewhere = [await logInElsewhere(email), await logInElsewhere(email)];
      await page.goto(`${site.url}/users`);
      await openAccountMenu(page);
      await page.getByRole("link", { name: "Security" }).click();
      await press(page, "Log out all other sessions");
      await assertNotice(page, /All other sessions are logged out/);
      deepStrictEqual(await Promise.all(elsewhere.map((status) => status())), [401, 401]);

      const another = await logInElsewhere(email);
      await page.reload();
      const other = page.getByRole("listitem").filter({ hasText: "Unknown app", hasNotText: "This device" });
      await other.getByRole("button", { name: "Log out Unknown app" }).click();
      await assertNotice(page, /Session logged out/);
      strictEqual(await another(), 401);
    }, { javaScriptEnabled, viewport: PHONE });
  });

  Deno.test(`a member changes the password after a mistake, and finds it in the activity, ${way}`, async () => {
    const email = `password-${javaScriptEnabled}@example.com`;
    await withPage(site.browser, async (page) => {
      await site.logIn(page.context(), email);
      const elsewhere = await logInElsewhere(email);
      await page.goto(`${site.url}/.well-known/change-password`);
      const field = (label: string) => page.getByLabel(label, { exact: true });
      await field("Your current password").fill("Wrong-horse-77");
      await field("New password").fill("Battery-staple-8");
      await field("Stay logged in on my other devices").check();
      await press(page, "Change password");
      await page.locator("#currentPassword-error").getByText("That’s not your current password.").waitFor();
      await page.locator("#currentPassword:focus").waitFor();
      strictEqual(await field("Stay logged in on my other devices").isChecked(), true);

      await field("Your current password").fill(PASSWORD);
      await field("New password").fill("Battery-staple-8");
      await press(page, "Change password");
      await assertNotice(page, /Password changed. You’re still logged in on your other devices/);
      strictEqual(await elsewhere(), 200);
      await page.getByRole("navigation", { name: "Settings" }).getByRole("link", { name: "Activity" }).click();
      await page.getByRole("heading", { level: 1, name: "Activity" }).waitFor();
      match(await page.getByRole("main").getByRole("listitem").first().innerText(), /^Password changed/);
    }, { javaScriptEnabled, allow: [/status of 403/] });
  });
}

Deno.test("a new token can be copied, and a reload hides it", async () => {
  await withPage(site.browser, async (page) => {
    await site.logIn(page.context(), "copying@example.com");
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.goto(`${site.url}/settings/tokens/new`);
    await page.getByLabel("Name").fill("Nightly backup");
    await page.getByLabel("See your files").check();
    await press(page, "Create a token");
    await press(page, "Copy token");
    await page.getByText("Token copied").waitFor();
    const token = await page.evaluate(() => navigator.clipboard.readText());
    match(token, /^foyer_\w{49}$/);
    await page.reload();
    await page.getByText("Nightly backup").waitFor();
    strictEqual(await page.getByText(token).count(), 0);
  });
});

Deno.test("on a phone, the settings open above the page, which says which one it is, without scripts", async () => {
  await withPage(site.browser, async (page) => {
    await site.logIn(page.context(), "settings-menu@example.com");
    await page.goto(`${site.url}/settings/tokens/new`);
    await page.getByText("Settings: API tokens").click();
    const navigation = page.getByRole("navigation", { name: "All settings" });
    match(
      await navigation.innerText(),
      /^You\s+Profile\s+Email\s+Language\s+Security\s[^]*\sDevelopers\s[^]*\sAccount\s+Your data$/,
    );
    await navigation.getByRole("link", { name: "Email" }).click();
    await page.getByText("Settings: Email").waitFor();
    ok(!await navigation.isVisible(), "closed on the next page");
  }, { javaScriptEnabled: false, viewport: PHONE });
});

Deno.test("a notice stands above the heading of its page, below the navigation", async () => {
  await withPage(site.browser, async (page) => {
    await site.logIn(page.context(), "notice-place@example.com");
    await page.context().addCookies([{ name: "notice", value: "profile_saved", url: site.url }]);
    await page.goto(`${site.url}/profile`);
    const [menu, notice, heading] = await Promise.all([
      page.getByText("Settings: Profile"),
      page.getByText("Profile saved."),
      page.getByRole("heading", { level: 1 }),
    ].map(async (each) => (await each.boundingBox())!.y));
    ok(menu < notice && notice < heading, `${menu} ${notice} ${heading}`);
  }, { viewport: PHONE });
});

Deno.test("times are relative, or in the reader's time zone, as soon as they are shown", async () => {
  await withPage(site.browser, async (page) => {
    const email = "times@example.com";
    await site.logIn(page.context(), email);
    await logInElsewhere(email);
    await page.addInitScript(recordTimes);
    await page.clock.setFixedTime(secondsAfter(site.app.services.now(), 12 * MINUTE_SECONDS - 5));
    await page.goto(`${site.url}/settings/sessions`);
    const other = page.getByRole("listitem").filter({ hasText: "Last seen" });
    match(await other.innerText(), /Last seen 12 minutes ago\s·/);
    match((await other.locator("time").first().getAttribute("title"))!, /^\w+,? \d+ March 2026.*Japan|GMT\+9/);
    await assertTimesNeverChanged(page);

    await page.clock.setFixedTime(secondsAfter(site.app.services.now(), 2 * DAY_SECONDS));
    await page.reload();
    match(await other.innerText(), /Last seen March \d+, 2026 at \d+:\d\d\s[AP]M\s·/);
    ok(!(await other.innerText()).includes("UTC"));
    await assertTimesNeverChanged(page);
  }, { viewport: PHONE, timezoneId: "Asia/Tokyo" });
});

/** Records the text of each time in each frame that the page shows. A busy browser may show half of the page first. */
function recordTimes(): void {
  const shown: string[][] = globalThis.shownTimes = [];
  const record = () => {
    document.querySelectorAll("time").forEach((time, i) => {
      const texts = shown[i] ??= [];
      if (texts.at(-1) !== time.textContent) texts.push(time.textContent);
    });
    requestAnimationFrame(record);
  };
  requestAnimationFrame(record);
}

/** Fails if a time has changed its text after it was shown. */
async function assertTimesNeverChanged(page: Page): Promise<void> {
  await settle(page);
  const shown = await page.evaluate(() => globalThis.shownTimes);
  ok(shown.length > 0);
  deepStrictEqual(shown.filter((texts) => texts.length > 1), []);
}

Deno.test("no page of the settings scrolls sideways on a phone", async () => {
  await withPage(site.browser, async (page) => {
    await site.logIn(page.context(), "narrow@example.com");
    for (const path of ["/settings/password", "/settings/sessions", "/settings/activity", "/settings/tokens/new"]) {
      await page.goto(site.url + path);
      const width = await page.evaluate(() => document.documentElement.scrollWidth);
      strictEqual(width, PHONE.width, path);
    }
  }, { viewport: PHONE });
});
