import { match, ok, strictEqual } from "node:assert/strict";
import { Buffer } from "node:buffer";
import { v7 } from "uuid";
import { registerVerifiedUser } from "../support/app/accounts.ts";
import { registerAdmin } from "../support/app/admins.ts";
import { withPage } from "../support/browser/browser.ts";
import { tabTo } from "../support/browser/keyboard.ts";
import { openSharedSite } from "../support/browser/shared_site.ts";

const { app, browser, url } = await openSharedSite();

/** The cookies of a browser in which someone is logged in. */
const cookiesOf = ({ cookies }: { cookies: Map<string, string> }) =>
  [...cookies].map(([name, value]) => ({ name, value, url }));

Deno.test("forty accounts are a table of single rows, each of which opens its account wherever it is clicked", async () => {
  const { client: admin } = await registerAdmin(app);
  const { password_hash, created_at, updated_at } = await app.services.db.selectFrom("users").selectAll()
    .executeTakeFirstOrThrow();
  const people = Array.from({ length: 40 }, (_, index) => ({
    id: v7({ msecs: created_at.getTime() - index }),
    name: `Some Longer Name ${index}`,
    email: `some.longer.name-${index}@example.com`,
    password_hash,
    idp_id: null,
    avatar: null,
    created_at,
    updated_at,
  }));
  await app.services.db.insertInto("users").values(people).execute();
  await withPage(browser, async (page) => {
    await page.context().addCookies(cookiesOf(admin));
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.goto(`${url}/admin/users`);
    ok(await page.evaluate(() => document.documentElement.scrollHeight) < 3000);
    const row = page.getByRole("row", { name: "Some Longer Name 7 " });
    const { width, height } = (await row.boundingBox())!;
    ok(height <= 53, `${height} px`);
    await row.click({ position: { x: width - 5, y: height - 5 } });
    await page.getByRole("heading", { name: "Some Longer Name 7" }).waitFor();
    await page.setViewportSize({ width: 375, height: 800 });
    await page.goto(`${url}/admin/users`);
    const narrow = (await row.boundingBox())!;
    ok(narrow.height <= 80, `${narrow.height} px`);
    await row.click({ position: { x: narrow.width - 5, y: 5 } });
    await page.getByRole("heading", { name: "Some Longer Name 7" }).waitFor();
  });
  await app.services.db.deleteFrom("users").where("name", "like", "Some Longer Name%").execute();
});

Deno.test("an admin finds and suspends someone by keyboard alone, on a phone without scripts", async () => {
  const { client: admin } = await registerAdmin(app);
  const { client: person } = await registerVerifiedUser(app, "someone@example.com", "Some Person");
  await withPage(browser, async (page) => {
    await page.context().addCookies(cookiesOf(admin));
    const press = async (name: string) => {
      await tabTo(page, name);
      await Promise.all([page.waitForEvent("load"), page.keyboard.press("Enter")]);
    };
    await page.goto(`${url}/admin`);
    await press("All");
    await page.locator(":focus").and(page.getByLabel("Name, email or id")).waitFor();
    await page.keyboard.type("some per");
    await press("Search");
    await press("Some Person");
    await tabTo(page, "Keep out or delete");
    await page.keyboard.press("Enter");
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

Deno.test("the name of the file that is to be the logo of an app is below the button", async () => {
  const { client: admin } = await registerAdmin(app);
  const fields = { client_name: "Books", redirect_uris: ["https://books.example/callback"], reason: "a test" };
  const { data } = await (await admin.send("POST", "/api/admin/clients", fields)).json();
  await withPage(browser, async (page) => {
    await page.context().addCookies(cookiesOf(admin));
    await page.goto(`${url}/admin/apps/${data.clientId}/logo`);
    await page.getByLabel("Choose an image").setInputFiles({
      name: "books.png",
      mimeType: "image/png",
      buffer: Buffer.of(),
    });
    await page.getByText("books.png", { exact: true }).waitFor();
  });
});
