import { match, strictEqual } from "node:assert/strict";
import type { Locator } from "playwright-core";
import { PASSWORD, registerUser } from "../support/accounts.ts";
import { type Page, withPage } from "../support/browser.ts";
import { quarters } from "../support/pictures.ts";
import { BOTH_WAYS, openSharedSite } from "../support/shared_site.ts";

/** The form that is being submitted twice: resolved as its posts arrive. */
let posts: PromiseWithResolvers<void>[] = [];

/** Holds the answer to the first post back until the second is there: so long a browser takes another click. */
const { app, browser, url } = await openSharedSite({}, (handler) => async (req, info) => {
  const isSubmit = req.method === "POST" && req.headers.get("sec-fetch-mode") === "navigate";
  const last = posts.at(-1);
  if (isSubmit) posts.shift()?.resolve();
  const response = await handler(req, info);
  if (isSubmit) await last?.promise;
  return response;
});
const PICTURE = { name: "me.png", mimeType: "image/png", buffer: await quarters().png().toBuffer() };

/** How people press a button: what comes back presses it, and waits for no navigation. */
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

    /** Presses a button again as soon as the form is on its way; `byScript` says that a script sends it, once. */
    const twice = async (page: Page, name: string, { byScript = false } = {}) => {
      const press = await aim(page.getByRole("button", { name, exact: true }));
      const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      posts = byScript ? [] : [first, second];
      await press();
      if (!byScript) await first.promise;
      await press();
      if (!byScript) await second.promise;
    };

    Deno.test(`${habit} on each submit of an account makes one thing, ${way}`, async () => {
      await withPage(browser, async (page) => {
        await page.goto(`${url}/register`);
        await page.getByLabel("Your name").fill("Double Click");
        await page.getByLabel("Email address").fill(email);
        await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
        await twice(page, "Register");
        await page.getByRole("heading", { name: "Hello, Double Click" }).waitFor();
        strictEqual(await sessions(email), 1);
        strictEqual((await links(email)).length, 1);

        await page.goto(`${url}/verify-email?email=${email}`);
        await twice(page, "Send the mail again");
        await page.getByText("on its way").waitFor();
        strictEqual((await links(email)).length, 2);
        await page.goto((await links(email))[1]);
        await twice(page, "Yes, confirm it");
        await page.getByText("your address is confirmed").waitFor();

        await twice(page, "Log out");
        await page.getByText("You are logged out").waitFor();
        strictEqual(await sessions(email), 0);

        await page.goto(`${url}/forgot-password`);
        await page.getByLabel("Email address").fill(email);
        await twice(page, "Send me a link");
        await page.getByText("on its way").waitFor();
        strictEqual((await links(email)).length, 3);
        await page.goto((await links(email))[2]);
        await page.getByLabel("New password").fill(`${PASSWORD}!`);
        await twice(page, "Set the new password");
        await page.getByText("Your new password is set").waitFor();

        await page.getByLabel("Email address").fill(email);
        await page.getByLabel("Password").fill(`${PASSWORD}!`);
        await twice(page, "Log in");
        await page.getByRole("heading", { name: "Hello" }).waitFor();
        strictEqual(await sessions(email), 1);

        const squatted = await registerUser(app, `squatted-${email}`);
        await page.goto((await links(squatted.email))[0]);
        await twice(page, "This was not me");
        await page.getByText("The account has been deleted").waitFor();
      }, { javaScriptEnabled });
    });

    Deno.test(`${habit} on each submit of a member makes one thing, ${way}`, async () => {
      await withPage(browser, async (page) => {
        const { client, id } = await registerUser(app, `member-${email}`);
        await page.context().addCookies([...client.cookies].map(([name, value]) => ({ name, value, url })));
        await page.goto(`${url}/profile`, { waitUntil: "networkidle" });
        await page.getByLabel("Where you are").fill("Twice");
        await twice(page, "Save profile", { byScript: javaScriptEnabled });
        await page.getByText("Your profile is saved.").waitFor();

        const pictures = await files("images/avatar");
        await page.getByLabel("Choose a picture").setInputFiles(PICTURE);
        await twice(page, "Save picture", { byScript: javaScriptEnabled });
        await page.getByText("Your new picture is in place.").waitFor();
        strictEqual(await files("images/avatar"), pictures + 1);
        await page.goto(`${url}/profile`);
        await twice(page, "Remove the picture");
        await page.getByText("Your profile is saved.").waitFor();

        await page.goto(`${url}/uploads`, { waitUntil: "networkidle" });
        await page.getByLabel("Choose files").setInputFiles(PICTURE);
        await twice(page, "Upload", { byScript: javaScriptEnabled });
        const link = await page.getByRole("main").getByRole("link").getAttribute("href");
        match(link!, /me\.png$/);
        strictEqual(await files(`uploads/${id}`), 1);
      }, { javaScriptEnabled });
    });
  }
}

async function sessions(email: string): Promise<number> {
  const { db } = app.services;
  const rows = await db.selectFrom("sessions").innerJoin("users", "users.id", "sessions.user_id").select("sessions.id")
    .where("email", "=", email).execute();
  return rows.length;
}

/** All that were mailed to the address, the oldest first. */
async function links(email: string): Promise<string[]> {
  while (await app.deliverMails() > 0);
  return app.mails.filter(({ to }) => to === email).map(({ text }) => text.match(/https?:\/\/\S+/)![0]);
}

/** How many are in a folder of the store. */
async function files(folder: string): Promise<number> {
  const path = `${app.services.config.dataDir}/objects/${folder}`;
  return (await Array.fromAsync(Deno.readDir(path)).catch(() => [])).length;
}
