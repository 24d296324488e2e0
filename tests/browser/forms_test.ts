import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { PASSWORD, registerVerifiedUser } from "../support/accounts.ts";
import { type Page, withPage } from "../support/browser.ts";
import { quarters } from "../support/pictures.ts";
import { BOTH_WAYS, openSharedSite } from "../support/shared_site.ts";

const { app, browser, url } = await openSharedSite();
const PICTURE = { name: "me.png", mimeType: "image/png", buffer: await quarters().png().toBuffer() };

Deno.test("registering takes the keyboard only, and the password's rules are ticked off", async () => {
  await withPage(browser, async (page) => {
    await page.goto(`${url}/`);
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    strictEqual(await focused(page), "main", "the first stop leads past the header");
    await tabTo(page, "Register");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Register" }).waitFor();
    await tabTo(page, "Your name");
    await page.keyboard.type("Key Board");
    await tabTo(page, "Email address");
    await page.keyboard.type("keyboard@example.com");
    await tabTo(page, "Password");
    ok(!/[○✓]/.test(await description(page)), "the marks of the rules are read out");
    await page.keyboard.type("Correct-horse");
    const rule = page.getByRole("listitem").filter({ hasText: "Must have a digit" });
    strictEqual(await rule.innerText(), "Must have a digit");
    await page.keyboard.type("-7");
    match(await rule.innerText(), /done/);
    await tabTo(page, "Show password");
    await page.keyboard.press("Enter");
    strictEqual(await page.getByLabel("Password", { exact: true }).getAttribute("type"), "text");
    await tabTo(page, "Register");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Hello, Key Board" }).waitFor();
    await page.locator("[role=status]:focus").waitFor(); // autofocus comes a moment after the page
  });
});

Deno.test("a password that a manager filled in is judged too, however little it tells the page", async () => {
  await withPage(browser, async (page) => {
    await page.goto(`${url}/register`, { waitUntil: "networkidle" });
    const field = page.getByLabel("Password", { exact: true });
    const met = page.locator(".rules .met");
    const fill = (password: string) =>
      field.evaluate((input: HTMLInputElement, password) => input.value = password, password);
    await fill("Aa");
    await field.dispatchEvent("change");
    await page.getByText("Must have an uppercase letter: done").waitFor();
    strictEqual(await met.count(), 2);
    await fill("Correct-horse-7");
    await field.focus();
    await page.getByText("Must have a digit: done").waitFor();
    strictEqual(await met.count(), 5);
  });
});

for (const { way, javaScriptEnabled } of BOTH_WAYS) {
  Deno.test(`the back button after each form shows no stale page and repeats nothing, ${way}`, async () => {
    const email = `back-${javaScriptEnabled}@example.com`;
    await registerVerifiedUser(app, email);
    await withPage(browser, async (page) => {
      await logIn(page, email);
      await page.goBack();
      await page.getByRole("heading", { name: "Hello" }).waitFor(); // nobody logs in twice

      await page.goto(`${url}/profile`);
      await page.getByLabel("Name").fill("Back Again");
      await page.getByRole("button", { name: "Save profile" }).click();
      await page.getByText("Your profile is saved.").waitFor();
      await page.goBack();
      await page.goForward();
      strictEqual(await page.getByLabel("Name").inputValue(), "Back Again");

      await page.getByRole("button", { name: "Log out" }).click();
      await page.getByText("You are logged out").waitFor();
      await page.goBack();
      await page.getByRole("heading", { name: "Log in" }).waitFor(); // the profile is not to be seen any more
    }, { javaScriptEnabled });
  });
}

Deno.test("what is sent after the session has ended is saved after logging in in another window, without scripts", async () => {
  const email = "ended@example.com";
  await registerVerifiedUser(app, email);
  await withPage(browser, async (page) => {
    await logIn(page, email);
    await page.goto(`${url}/profile`);
    await page.getByLabel("About you").fill("Typed for an hour");
    await page.context().clearCookies({ name: "auth_session" });
    await page.getByRole("button", { name: "Save profile" }).click();
    await page.getByRole("heading", { name: "You are not logged in any more" }).waitFor();

    const opened = page.waitForEvent("popup");
    await page.getByRole("link", { name: "Log in in a new window" }).click();
    await (await opened).waitForURL("**/login");
    await logIn(await opened, email);
    await page.reload();
    await page.getByText("Your profile is saved.").waitFor();
    strictEqual(await page.getByLabel("About you").inputValue(), "Typed for an hour");
  }, { javaScriptEnabled: false, allow: [/status of 401/] });
});

Deno.test("what one has typed does not become the profile of who has logged in in another window, without scripts", async () => {
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
      await page.getByRole("alert").getByText("You're now logged in as someone else").waitFor();
    }
    await page.getByLabel("Choose a picture").setInputFiles(PICTURE);
    await page.getByRole("button", { name: "Save picture" }).click();
    await page.getByRole("alert").getByText("You're now logged in as someone else").first().waitFor();
    const { user } = await (await client.get("/api/profile")).json();
    deepStrictEqual([user.name, user.bio, user.avatar], ["Grace", "", null]);
  }, { javaScriptEnabled: false, allow: [/status of 403/] });
});

/** What has the focus: by its label or name, else by its tag. */
async function focused(page: Page): Promise<string> {
  return await page.evaluate(() => {
    const element = document.activeElement as HTMLInputElement;
    return element.ariaLabel ?? element.labels?.[0]?.textContent ??
      (/^(A|BUTTON)$/.test(element.tagName) ? element.textContent! : element.localName);
  });
}

/** What is read out with that which has the focus. */
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
  throw new Error(`Tab does not lead to ${name}`);
}

async function logIn(page: Page, email: string): Promise<void> {
  if (!page.url().endsWith("/login")) await page.goto(`${url}/login`);
  await page.getByLabel("Email address").fill(email);
  await page.getByLabel("Password").fill(PASSWORD);
  await page.getByRole("button", { name: "Log in" }).click();
  await page.getByRole("heading", { name: "Hello" }).waitFor();
}
