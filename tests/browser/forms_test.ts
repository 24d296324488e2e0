import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { PASSWORD, registerVerifiedUser } from "../support/accounts.ts";
import { type Page, withPage } from "../support/browser.ts";
import { quarters } from "../support/pictures.ts";
import { BOTH_WAYS, openSharedSite } from "../support/shared_site.ts";

const { app, browser, url } = await openSharedSite();
const PHOTO = { name: "me.png", mimeType: "image/png", buffer: await quarters().png().toBuffer() };

Deno.test("registration works by keyboard alone, and checks off the password rules", async () => {
  await withPage(browser, async (page) => {
    await page.goto(`${url}/`);
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    strictEqual(await focused(page), "main", "the first tab stop skips the header");
    await tabTo(page, "Create account");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Create your account" }).waitFor();
    await tabTo(page, "Your name");
    await page.keyboard.type("Key Board");
    await tabTo(page, "Email address");
    await page.keyboard.type("keyboard@example.com");
    await tabTo(page, "Password");
    ok(!/[○✓]/.test(await description(page)), "screen readers read out the marks of the rules");
    await page.keyboard.type("Correct-horse");
    const rule = page.getByRole("listitem").filter({ hasText: "A number" });
    strictEqual(await rule.innerText(), "A number");
    await page.keyboard.type("-7");
    match(await rule.innerText(), /done/);
    await tabTo(page, "Show password");
    await page.keyboard.press("Enter");
    strictEqual(await page.getByLabel("Password", { exact: true }).getAttribute("type"), "text");
    await tabTo(page, "Create account");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Hello, Key Board" }).waitFor();
    await page.locator("[role=status]:focus").waitFor(); // autofocus happens after the page has loaded
  });
});

Deno.test("a password that a password manager filled in is checked too, whichever events it sends", async () => {
  await withPage(browser, async (page) => {
    await page.goto(`${url}/register`, { waitUntil: "networkidle" });
    const field = page.getByLabel("Password", { exact: true });
    const met = page.locator(".rules .met");
    const fill = (password: string) =>
      field.evaluate((input: HTMLInputElement, password) => input.value = password, password);
    await fill("Aa");
    await field.dispatchEvent("change");
    await page.getByText("An uppercase letter: done").waitFor();
    strictEqual(await met.count(), 2);
    await fill("Correct-horse-7");
    await field.focus();
    await page.getByText("A number: done").waitFor();
    strictEqual(await met.count(), 5);
  });
});

for (const { way, javaScriptEnabled } of BOTH_WAYS) {
  Deno.test(`the back button after each form shows no stale page and submits nothing again, ${way}`, async () => {
    const email = `back-${javaScriptEnabled}@example.com`;
    await registerVerifiedUser(app, email);
    await withPage(browser, async (page) => {
      await logIn(page, email);
      await page.goBack();
      await page.getByRole("heading", { name: "Hello" }).waitFor(); // logging in is not repeated

      await page.goto(`${url}/profile`);
      await page.getByLabel("Name").fill("Back Again");
      await page.getByRole("button", { name: "Save profile" }).click();
      await page.getByText("Profile saved.").waitFor();
      await page.goBack();
      await page.goForward();
      strictEqual(await page.getByLabel("Name").inputValue(), "Back Again");

      await page.getByRole("button", { name: "Log out" }).click();
      await page.getByText("You’ve logged out").waitFor();
      await page.goBack();
      await page.getByRole("heading", { name: "Log in" }).waitFor(); // the profile is no longer shown
    }, { javaScriptEnabled });
  });
}

Deno.test("a form sent after the session has ended is saved after logging in again in a new tab, without scripts", async () => {
  const email = "ended@example.com";
  await registerVerifiedUser(app, email);
  await withPage(browser, async (page) => {
    await logIn(page, email);
    await page.goto(`${url}/profile`);
    await page.getByLabel("About you").fill("Typed for an hour");
    await page.context().clearCookies({ name: "auth_session" });
    await page.getByRole("button", { name: "Save profile" }).click();
    await page.getByRole("heading", { name: "You’ve been logged out" }).waitFor();

    const opened = page.waitForEvent("popup");
    await page.getByRole("link", { name: "Log in (opens a new tab)" }).click();
    await (await opened).waitForURL("**/login");
    await logIn(await opened, email);
    await page.reload();
    await page.getByText("Profile saved.").waitFor();
    strictEqual(await page.getByLabel("About you").inputValue(), "Typed for an hour");
  }, { javaScriptEnabled: false, allow: [/status of 401/] });
});

Deno.test("a form does not change the profile of another user who has logged in since, without scripts", async () => {
  const [ada, grace] = ["typing-ada@example.com", "typing-grace@example.com"];
  await registerVerifiedUser(app, ada, "Ada");
  const { client } = await registerVerifiedUser(app, grace, "Grace");
  await withPage(browser, async (page) => {
    await logIn(page, ada);
    await page.goto(`${url}/profile`);
    const other = await page.context().newPage();
    await other.goto(url);
    await other.getByRole("button", { name: "Log out" }).click();
    await logIn(other, grace);

    await page.getByLabel("About you").fill("Ada's words");
    for (let tries = 0; tries < 2; tries++) {
      await page.getByRole("button", { name: "Save profile" }).click();
      await page.getByRole("alert").getByText("You’re now logged in as someone else").waitFor();
    }
    await page.getByLabel("Choose a photo").setInputFiles(PHOTO);
    await page.getByRole("button", { name: "Upload photo" }).click();
    await page.getByRole("alert").getByText("You’re now logged in as someone else").first().waitFor();
    const { user } = await (await client.get("/api/profile")).json();
    deepStrictEqual([user.name, user.bio, user.avatar], ["Grace", "", null]);
  }, { javaScriptEnabled: false, allow: [/status of 403/] });
});

/** Returns the label, text or tag of the focused element. */
async function focused(page: Page): Promise<string> {
  return await page.evaluate(() => {
    const element = document.activeElement as HTMLInputElement;
    return element.ariaLabel ?? element.labels?.[0]?.textContent ??
      (/^(A|BUTTON)$/.test(element.tagName) ? element.textContent! : element.localName);
  });
}

/** Returns what screen readers read out as the description of the focused element. */
async function description(page: Page): Promise<string> {
  const cdp = await page.context().newCDPSession(page);
  const { result } = await cdp.send("Runtime.evaluate", { expression: "document.activeElement" });
  const { nodes } = await cdp.send("Accessibility.getPartialAXTree", {
    objectId: result.objectId,
    fetchRelatives: false,
  });
  return nodes[0].description!.value;
}

async function tabTo(page: Page, name: string): Promise<void> {
  for (let presses = 0; presses < 20; presses++) {
    await page.keyboard.press("Tab");
    if (await focused(page) === name) return;
  }
  throw new Error(`Tab does not reach ${name}`);
}

async function logIn(page: Page, email: string): Promise<void> {
  if (!page.url().endsWith("/login")) await page.goto(`${url}/login`);
  await page.getByLabel("Email address").fill(email);
  await page.getByLabel("Password").fill(PASSWORD);
  await page.getByRole("button", { name: "Log in" }).click();
  await page.getByRole("heading", { name: "Hello" }).waitFor();
}
