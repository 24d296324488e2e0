import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { PASSWORD, registerVerifiedUser } from "../support/app/accounts.ts";
import { openAccountMenu, type Page, withPage } from "../support/browser/browser.ts";
import { quarters } from "../support/images/pictures.ts";
import { focused, tabTo } from "../support/browser/keyboard.ts";
import { BOTH_WAYS, openSharedSite } from "../support/browser/shared_site.ts";

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
    await hydrated(page);
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
    await page.getByRole("heading", { name: "Confirm your email address" }).waitFor();
  });
});

Deno.test("a password that a password manager filled in is checked too, whichever events it sends", async () => {
  await withPage(browser, async (page) => {
    await page.goto(`${url}/register`);
    await hydrated(page);
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

Deno.test("errors of the server disappear while they are corrected, and stay without scripts", async () => {
  for (const { javaScriptEnabled } of BOTH_WAYS) {
    await withPage(browser, async (page) => {
      await page.goto(`${url}/register`);
      await page.getByLabel("Your name").fill("A");
      await page.getByRole("button", { name: "Create account" }).click();
      const alert = page.getByRole("alert");
      const left = javaScriptEnabled ? 0 : 1;
      await alert.waitFor();
      if (javaScriptEnabled) await hydrated(page);
      for (const [label, name] of [["Your name", "name"], ["Email address", "email"], ["Password", "password"]]) {
        const [field, error] = [page.getByLabel(label, { exact: true }), page.locator(`#${name}-error`)];
        strictEqual(await alert.locator(`a[href="#${name}"]`).count(), 1, name);
        await field.press("End");
        await page.keyboard.type("d");
        await error.waitFor({ state: javaScriptEnabled ? "detached" : "visible" });
        strictEqual(await alert.locator(`a[href="#${name}"]`).count(), left, name);
        strictEqual(await field.getAttribute("aria-invalid"), javaScriptEnabled ? null : "true");
        ok(!javaScriptEnabled || !(await field.getAttribute("aria-describedby"))?.includes("error"));
      }
      strictEqual(await alert.count(), left);
    }, { javaScriptEnabled, allow: [/status of 400/] });
  }
});

Deno.test("the message that an address is taken disappears while the address is corrected", async () => {
  const { email } = await registerVerifiedUser(app, "taken@example.com");
  await withPage(browser, async (page) => {
    await page.goto(`${url}/register`);
    await page.getByLabel("Your name").fill("Ada");
    await page.getByLabel("Email address").fill(email);
    await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await page.getByRole("button", { name: "Create account" }).click();
    const error = page.locator("#email-error").getByText("already uses this email address");
    await error.waitFor();
    await page.locator("#email:focus").waitFor(); // autofocus happens after the page has loaded
    await hydrated(page);
    await page.getByLabel("Email address").press("Home");
    await page.keyboard.type("un");
    await error.waitFor({ state: "detached" });
  }, { allow: [/status of 409/] });
});

Deno.test("a notice about an email survives a reload", async () => {
  await withPage(browser, async (page) => {
    await page.goto(`${url}/forgot-password`);
    await page.getByLabel("Email address").fill("nobody@example.com");
    await page.getByRole("button", { name: "Email me a link" }).click();
    await page.getByRole("heading", { name: "Check your email" }).waitFor();
    await page.getByRole("button", { name: "Send again" }).click();
    const notice = page.getByRole("status").getByText("you’ll get an email with a link");
    await notice.waitFor();
    for (let reloads = 0; reloads < 2; reloads++) {
      await page.reload();
      strictEqual(await notice.count(), 1);
    }
    await page.getByRole("link", { name: "Back to login" }).click();
    await page.getByRole("heading", { name: "Log in" }).waitFor();
    strictEqual(await page.getByRole("status").count(), 0);
  });
});

for (const path of ["/login", "/register"]) {
  Deno.test(`a password can be shown and hidden again on ${path}, and the form works without scripts`, async () => {
    for (const { javaScriptEnabled } of BOTH_WAYS) {
      await withPage(browser, async (page) => {
        await page.goto(url + path);
        const field = page.locator("input[name=password]");
        const typeOf = () => field.getAttribute("type");
        if (!javaScriptEnabled) {
          strictEqual(await typeOf(), "password");
          strictEqual(await page.getByRole("button", { name: "Show password" }).count(), 0);
          return;
        }
        await page.getByRole("button", { name: "Show password" }).click();
        await field.pressSequentially("A1");
        strictEqual(await typeOf(), "text");
        deepStrictEqual([await field.getAttribute("autocapitalize"), await field.getAttribute("spellcheck")], [
          "none",
          "false",
        ]);
        await page.getByRole("button", { name: "Hide password" }).click();
        strictEqual(await typeOf(), "password");
        strictEqual(await page.getByRole("button", { name: "Show password" }).innerText(), "Show");
        strictEqual(await field.inputValue(), "A1");
      }, { javaScriptEnabled });
    }
  });
}

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

      await openAccountMenu(page);
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
    await openAccountMenu(other);
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

Deno.test("the address that was typed to log in goes along to the page for a new password and back", async () => {
  await withPage(browser, async (page) => {
    await page.goto(`${url}/login`);
    await page.getByLabel("Email address").fill("ada+wiki@example.com");
    await page.getByRole("link", { name: "Forgot your password?" }).click();
    await page.waitForURL(/forgot-password/);
    strictEqual(await page.getByLabel("Email address").inputValue(), "ada+wiki@example.com");
    await page.getByLabel("Email address").fill("grace@example.com");
    await page.getByRole("link", { name: "Back to login" }).click();
    await page.getByRole("heading", { name: "Log in" }).waitFor();
    strictEqual(await page.getByLabel("Email address").inputValue(), "grace@example.com");
  });
});

Deno.test("where a finger points, small buttons and choices are 44 px high", async () => {
  await withPage(browser, async (page) => {
    await page.goto(`${url}/register`);
    for (const target of [page.locator("label.choice"), page.getByRole("button", { name: "Show password" })]) {
      ok((await target.first().boundingBox())!.height >= 44);
    }
  }, { hasTouch: true, isMobile: true, viewport: { width: 390, height: 800 } });
});

Deno.test("what is left to set up is beside the rest of the dashboard, and on a phone before it", async () => {
  await withPage(browser, async (page) => {
    const { email } = await registerVerifiedUser(app, "beside@example.com");
    await logIn(page, email);
    await page.goto(`${url}/dashboard`);
    const boxes = async () =>
      await Promise.all(
        ["Set up your account", "Recent activity"].map(async (name) =>
          (await page.getByRole("heading", { name }).boundingBox())!
        ),
      );
    const [setUp, activity] = await boxes();
    ok(setUp.x > activity.x + activity.width);
    await page.setViewportSize({ width: 390, height: 800 });
    const [above, below] = await boxes();
    ok(above.x === below.x && above.y < below.y);
  }, { viewport: { width: 1280, height: 800 } });
});

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

async function logIn(page: Page, email: string): Promise<void> {
  if (!page.url().endsWith("/login")) await page.goto(`${url}/login`);
  await page.getByLabel("Email address").fill(email);
  await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
  await page.getByRole("button", { name: "Log in" }).click();
  await page.getByRole("heading", { name: "Hello" }).waitFor();
}

/** Waits until the island of the password works: only then the button is there. */
async function hydrated(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Show password" }).waitFor();
}
