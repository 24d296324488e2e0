import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import sharp from "sharp";
import { type Page, withPage } from "../support/browser.ts";
import { BOTH_WAYS, openSharedSite } from "../support/shared_site.ts";

const site = await openSharedSite();
const PICTURE = {
  name: "me.png",
  mimeType: "image/png",
  buffer: await sharp({ create: { width: 300, height: 200, channels: 3, background: "#336655" } }).png().toBuffer(),
};
const REFUSED = [/status of 4\d\d/];

for (const { way, javaScriptEnabled } of BOTH_WAYS) {
  Deno.test(`somebody fills in the profile, mends what is refused and adds a picture, ${way}`, async () => {
    await withPage(site.browser, async (page) => {
      const id = await site.logIn(page.context(), `profile-${javaScriptEnabled}@example.com`);
      await page.goto(`${site.url}/profile`);
      await page.getByLabel("About you").fill("\nLine one\nLine two");
      await page.getByLabel("Website").fill("nowhere");
      await save(page);
      await page.getByRole("alert").first().waitFor();
      match(await described(page, "Website"), /Enter a web address like example\.com/);
      strictEqual(await page.getByLabel("About you").inputValue(), "\nLine one\nLine two");

      await page.getByLabel("Website").fill("https://example.com");
      await save(page);
      await page.getByText("Your profile is saved.").waitFor();

      await page.getByLabel("Choose a picture").setInputFiles({ ...PICTURE, mimeType: "text/plain", name: "me.txt" });
      if (!javaScriptEnabled) {
        await page.getByRole("button", { name: "Save picture" }).click();
        await page.locator("[role=alert]:focus").getByRole("link", { name: "Choose a picture" }).click();
        strictEqual(await page.locator("input:focus").getAttribute("name"), "file");
      }
      await page.locator(".field-error").getByText("Only JPEG, PNG, WebP and GIF images are allowed").waitFor();
      await page.getByLabel("Choose a picture").setInputFiles(PICTURE);
      if (javaScriptEnabled) await page.locator('.avatar img[src^="data:image/png"]').waitFor();
      await page.getByRole("button", { name: "Save picture" }).click();
      await page.getByText("Your new picture is in place.").waitFor();

      await page.goto(`${site.url}/users/${id}`);
      await page.getByText("Line two").waitFor();
      strictEqual(
        await page.getByRole("link", { name: "example.com", exact: true }).getAttribute("href"),
        "https://example.com/",
      );
      ok(await page.locator(".avatar img").evaluate((image: HTMLImageElement) => image.decode().then(() => true)));

      await page.goto(`${site.url}/profile`);
      strictEqual(await page.getByLabel("About you").inputValue(), "Line one\nLine two");
      strictEqual(await page.getByText("changes that are not saved").count(), 0);
      await page.getByRole("button", { name: "Remove the picture" }).click();
      await page.getByText("Your profile is saved.").waitFor();
      strictEqual(await page.locator(".avatar img").count(), 0);
    }, { javaScriptEnabled, allow: REFUSED });
  });
}

Deno.test("a save that is lost on the way keeps what was typed and can be repeated", async () => {
  await withPage(site.browser, async (page) => {
    await site.logIn(page.context(), "lost@example.com", { name: "Lost" });
    await page.goto(`${site.url}/profile`);
    await page.getByLabel("Name").fill("Found");
    await page.getByText("changes that are not saved").waitFor();
    await page.context().setOffline(true);
    await page.getByText("You are offline").waitFor();
    await save(page);
    await page.getByRole("alert").getByText("There is no connection").waitFor();
    strictEqual(await page.getByLabel("Name").inputValue(), "Found");
    await page.getByRole("region", { name: "As others see it" }).getByText("Lost", { exact: true }).waitFor();

    const asked = page.waitForEvent("dialog");
    void page.goto(`${site.url}/users`).catch(() => {});
    strictEqual((await asked).type(), "beforeunload");
    await (await asked).dismiss();

    await page.context().setOffline(false);
    await save(page);
    await page.getByText("Your profile is saved.").waitFor();
    await page.goto(`${site.url}/dashboard`);
    await page.getByRole("heading", { name: "Hello, Found" }).waitFor();
  }, { allow: [/ERR_INTERNET_DISCONNECTED/] });
});

Deno.test("a picture can be dropped, shows how far it has come, and can be stopped", async () => {
  await withPage(site.browser, async (page) => {
    await site.logIn(page.context(), "dropped@example.com");
    await page.goto(`${site.url}/profile`, { waitUntil: "networkidle" });
    const released = Promise.withResolvers<void>();
    await page.route("**/api/upload/image", async (route) => {
      await released.promise;
      await route.continue().catch(() => {}); // the page has stopped it
    });
    const transfer = await page.evaluateHandle((bytes) => {
      const data = new DataTransfer();
      data.items.add(new File([Uint8Array.from(bytes)], "me.png", { type: "image/png" }));
      return data;
    }, [...PICTURE.buffer]);
    await page.locator("form.drop").dispatchEvent("drop", { dataTransfer: transfer });
    await page.locator('.avatar img[src^="data:image/png"]').waitFor();
    await page.getByRole("button", { name: "Save picture" }).click();
    await page.getByRole("progressbar", { name: "Sending the picture" }).waitFor();
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.getByText("The picture has not been sent").waitFor();
    released.resolve();
    await page.unroute("**/api/upload/image");
    await page.getByRole("button", { name: "Save picture" }).click();
    await page.getByText("Your new picture is in place.").waitFor();
  });
});

Deno.test("what is printed of a profile is the person, and nothing to press", async () => {
  await withPage(site.browser, async (page) => {
    await site.logIn(page.context(), "printed@example.com", { name: "Printed Person" });
    await page.goto(`${site.url}/profile`, { waitUntil: "networkidle" });
    await page.emulateMedia({ media: "print", colorScheme: "dark" });
    deepStrictEqual(await page.getByRole("heading").allInnerTexts(), ["Your profile"]);
    strictEqual(await page.getByRole("region").getByText("Printed Person").isVisible(), true);
    for (const role of ["button", "textbox", "navigation"] as const) strictEqual(await page.getByRole(role).count(), 0);
    const lefts = await page.locator("h1, .brand").evaluateAll((parts) =>
      parts.map((part) => part.getBoundingClientRect().left)
    );
    strictEqual(lefts[0], lefts[1]);
    strictEqual(await page.evaluate(() => getComputedStyle(document.body).colorScheme), "light");
  });
});

Deno.test("a long web address takes one line, and letters stay in their circle where text is twice as large", async () => {
  await withPage(site.browser, async (page) => {
    const id = await site.logIn(page.context(), "wide@example.com", { name: "Wilma Wolfram" });
    const website = `https://example.com/${"long-".repeat(380)}`;
    await page.goto(`${site.url}/profile`);
    await page.getByLabel("Website").fill(website);
    await save(page);
    await page.getByText("Your profile is saved.").waitFor();
    for (const path of ["/users", `/users/${id}`]) {
      await page.goto(site.url + path);
      await page.addStyleTag({ content: "html { font-size: 200% }" });
      const [text, circle] = await page.locator(".avatar").first().evaluate((letters) => {
        const range = document.createRange();
        range.selectNodeContents(letters);
        const { width, height } = range.getBoundingClientRect();
        return [Math.max(width, height), letters.clientWidth];
      });
      ok(text < circle, `${path}: ${text} px in ${circle}`);
    }
    const link = page.getByRole("link", { name: "example.com/long-" });
    strictEqual(await link.getAttribute("href"), website);
    ok((await link.boundingBox())!.height < 80);
  });
});

async function save(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Save profile" }).click();
}

/** What is read out with a field. */
async function described(page: Page, label: string): Promise<string> {
  const ids = (await page.getByLabel(label).getAttribute("aria-describedby"))!.split(" ");
  return (await Promise.all(ids.map((id) => page.locator(`#${id}`).innerText()))).join(" ");
}
