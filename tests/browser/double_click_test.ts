import { strictEqual } from "node:assert/strict";
import type { Locator } from "playwright-core";
import { PASSWORD, registerUser } from "../support/app/accounts.ts";
import { openAccountMenu, type Page, withPage } from "../support/browser/browser.ts";
import { quarters } from "../support/images/pictures.ts";
import { BOTH_WAYS, openSharedSite } from "../support/browser/shared_site.ts";

/** The expected POST requests of the form that is submitted twice. Each is resolved when its request arrives. */
let posts: PromiseWithResolvers<void>[] = [];

/** How often the browser has sent the form that is submitted twice. */
let submits = 0;

/** Delays the response to the first POST until the second arrives. Until then, the browser accepts another click. */
const { app, browser, url } = await openSharedSite({}, (handler) => async (req, info) => {
  const isSubmit = req.method === "POST" && req.headers.get("sec-fetch-mode") === "navigate";
  const last = posts.at(-1);
  if (isSubmit) {
    submits++;
    posts.shift()?.resolve();
  }
  const response = await handler(req, info);
  if (isSubmit) await last?.promise;
  return response;
});
const PHOTO = { name: "me.png", mimeType: "image/png", buffer: await quarters().png().toBuffer() };

/** Ways to press a button. The returned function presses it and does not wait for a navigation. */
const HABITS: Record<string, (button: Locator) => Promise<() => Promise<void>>> = {
  async "a double click"(button) {
    await button.scrollIntoViewIfNeeded();
    const { x, y, width, height } = (await button.boundingBox())!;
    return () => button.page().mouse.click(x + width / 2, y + height / 2);
  },
  async "Enter twice"(button) {
    await button.focus();
    return () => button.page().keyboard.press("Enter");
  },
};

for (const { way, javaScriptEnabled } of BOTH_WAYS) {
  for (const [habit, aim] of Object.entries(HABITS)) {
    const email = `${habit}-${javaScriptEnabled}@example.com`.toLowerCase().replaceAll(" ", "-");

    /**
     * Presses a button again as soon as the form has been sent. Where scripts run, it is sent once: by an island with
     * `byScript`, otherwise by the browser, unless the form is none of those that the script of forms guards.
     */
    const twice = async (page: Page, name: string, { byScript = false, isGuarded = javaScriptEnabled } = {}) => {
      const press = await aim(page.getByRole("button", { name, exact: true }));
      const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      posts = byScript ? [] : [first, second];
      submits = 0;
      await press();
      if (!byScript) await first.promise;
      await press();
      if (isGuarded) second.resolve();
      if (!byScript) await second.promise;
    };
    const assertGuarded = () => strictEqual(submits, javaScriptEnabled ? 1 : 2);

    Deno.test(`${habit} on each form of an account counts once, ${way}`, async () => {
      await withPage(browser, async (page) => {
        await page.goto(`${url}/register`);
        await page.getByLabel("Your name").fill("Double Click");
        await page.getByLabel("Email address").fill(email);
        await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
        await twice(page, "Create account");
        await page.getByRole("heading", { name: "Hello, Double Click" }).waitFor();
        assertGuarded();
        strictEqual(await countSessions(email), 1);
        strictEqual((await links(email)).length, 1);

        await page.goto(`${url}/verify-email?email=${email}`);
        await twice(page, "Email me a new link");
        await page.getByText("sent it a new link").waitFor();
        strictEqual((await links(email)).length, 2);
        await page.goto((await links(email))[1]);
        await twice(page, "Yes, confirm my email");
        await page.getByText("Your email address is confirmed").waitFor();

        await openAccountMenu(page);
        await twice(page, "Log out");
        await page.getByText("You’ve logged out").waitFor();
        strictEqual(await countSessions(email), 0);

        await page.goto(`${url}/forgot-password`);
        await page.getByLabel("Email address").fill(email);
        await twice(page, "Email me a link");
        await page.getByText("we’ve emailed it a link").waitFor();
        strictEqual((await links(email)).length, 3);
        await page.goto((await links(email))[2]);
        await page.getByLabel("New password").fill(`${PASSWORD}!`);
        await twice(page, "Save new password");
        await page.getByText("Password changed").waitFor();
        assertGuarded();
        strictEqual(await countSessions(email), 1);

        await openAccountMenu(page);
        await page.getByRole("button", { name: "Log out" }).click();
        await page.getByText("You’ve logged out").waitFor();
        await page.goto(`${url}/login`);
        await page.getByLabel("Email address").fill(email);
        await page.getByLabel("Password", { exact: true }).fill(`${PASSWORD}!`);
        await twice(page, "Log in");
        await page.getByRole("heading", { name: "Hello" }).waitFor();
        assertGuarded();
        strictEqual(await countSessions(email), 1);

        const squatted = await registerUser(app, `squatted-${email}`);
        await page.goto((await links(squatted.email))[0]);
        await twice(page, "No, delete this account");
        await page.getByText("We’ve deleted the account").waitFor();
      }, { javaScriptEnabled });
    });

    Deno.test(`${habit} on each form of a member counts once, ${way}`, async () => {
      await withPage(browser, async (page) => {
        const { client, id } = await registerUser(app, `member-${email}`);
        await page.context().addCookies([...client.cookies].map(([name, value]) => ({ name, value, url })));
        await page.goto(`${url}/profile`, { waitUntil: "networkidle" });
        await page.getByLabel("Location").fill("Twice");
        await twice(page, "Save profile", { byScript: javaScriptEnabled });
        await page.getByText("Profile saved.").waitFor();

        const photos = await countFiles("images/avatar");
        await page.getByLabel("Choose a photo").setInputFiles(PHOTO);
        await twice(page, "Upload photo", { byScript: javaScriptEnabled });
        await page.getByText("Photo updated.").waitFor();
        strictEqual(await countFiles("images/avatar"), photos + 1);
        await page.goto(`${url}/profile`, { waitUntil: "networkidle" });
        await twice(page, "Remove photo", { byScript: javaScriptEnabled });
        await page.getByText("Photo removed.").waitFor();

        await page.goto(`${url}/uploads`, { waitUntil: "networkidle" });
        await page.getByLabel("Choose files").setInputFiles(PHOTO);
        if (!javaScriptEnabled) await twice(page, "Upload");
        await page.locator(`main a[href*="/files/private/${id}/"]`).first().waitFor();
        strictEqual(await countFiles(`private/${id}`), 1);
      }, { javaScriptEnabled });
    });
  }
}

Deno.test("a form that was sent can be sent again after a while, and after the back button", async () => {
  await withPage(browser, async (page) => {
    await page.clock.install();
    await page.goto(`${url}/login`);
    await page.evaluate(() => addEventListener("submit", (event) => event.preventDefault())); // as a slow server would
    const button = page.getByRole("button", { name: "Log in", exact: true });
    const isBusy = () => button.getAttribute("aria-disabled");
    for (const wait of [() => page.clock.fastForward(10_000), () => leave(page)]) {
      await button.click();
      strictEqual(await isBusy(), "true");
      await wait();
      strictEqual(await isBusy(), null);
    }
  });
});

/**
 * The browser of the tests has no back-forward cache. Only this event would reach the page before it is stored there.
 */
async function leave(page: Page): Promise<void> {
  await page.evaluate(() => dispatchEvent(new PageTransitionEvent("pagehide", { persisted: true })));
}

/** Counts the sessions of the account. */
async function countSessions(email: string): Promise<number> {
  const { db } = app.services;
  const rows = await db.selectFrom("sessions").innerJoin("users", "users.id", "sessions.user_id").select("sessions.id")
    .where("email", "=", email).execute();
  return rows.length;
}

/** Lists the links emailed to the address, oldest first. */
async function links(email: string): Promise<string[]> {
  await app.deliverMails();
  return app.mails.filter(({ to }) => to === email).map(({ text }) => text.match(/https?:\/\/\S+/)![0]);
}

/** Counts the files in a folder of the store. */
async function countFiles(folder: string): Promise<number> {
  const path = `${app.services.config.dataDir}/objects/${folder}`;
  return (await Array.fromAsync(Deno.readDir(path)).catch(() => [])).length;
}
