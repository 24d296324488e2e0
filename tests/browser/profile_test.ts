import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { Buffer } from "node:buffer";
import sharp from "sharp";
import { assertLeaves, assertWarns, type Page, withPage } from "../support/browser/browser.ts";
import { BOTH_WAYS, openSharedSite } from "../support/browser/shared_site.ts";

const site = await openSharedSite();
const PHOTO = {
  name: "me.png",
  mimeType: "image/png",
  buffer: await sharp({ create: { width: 300, height: 200, channels: 3, background: "#336655" } }).png().toBuffer(),
};
/** The beginning of a photo of an iPhone. */
const HEIC = Buffer.from("\0\0\0\x18ftypheic\0\0\0\0mif1heic");
const REFUSED = [/status of 4\d\d/];

for (const { way, javaScriptEnabled } of BOTH_WAYS) {
  Deno.test(`someone fills in the profile, corrects it and adds a photo, ${way}`, async () => {
    await withPage(site.browser, async (page) => {
      const id = await site.logIn(page.context(), `profile-${javaScriptEnabled}@example.com`);
      await page.goto(`${site.url}/profile`);
      await page.getByLabel("About you").fill("\nLine one\nLine two");
      await page.getByLabel("Website").fill("nowhere");
      await save(page);
      await page.locator("#website-error").waitFor();
      match(await described(page, "Website"), /Enter a web address like example\.com/);
      strictEqual(await page.getByLabel("About you").inputValue(), "\nLine one\nLine two");

      await page.getByLabel("Website").fill("https://example.com");
      await save(page);
      await page.getByText("Profile saved.").waitFor();

      await page.getByLabel("Choose a photo").setInputFiles({ ...PHOTO, mimeType: "text/plain", name: "me.txt" });
      if (!javaScriptEnabled) {
        await page.getByRole("button", { name: "Upload photo" }).click();
        await page.locator("[role=alert]:focus").getByRole("link", { name: "Choose a JPEG, PNG, WebP or GIF image" })
          .click();
        strictEqual(await page.locator("input:focus").getAttribute("name"), "file");
      }
      await page.locator(".field-error").getByText("Choose a JPEG, PNG, WebP or GIF image").waitFor();
      await page.getByLabel("Choose a photo").setInputFiles({ ...PHOTO, buffer: HEIC, mimeType: "image/jpeg" });
      await page.getByRole("button", { name: "Upload photo" }).click();
      await page.locator(".field-error").getByText("HEIC photos aren’t supported.").waitFor();
      const damaged = { ...PHOTO, buffer: Buffer.from("damaged"), mimeType: "image/jpeg" };
      await page.getByLabel("Choose a photo").setInputFiles(damaged);
      await page.getByRole("button", { name: "Upload photo" }).click();
      await page.locator(".field-error").getByText("This doesn’t look like a JPEG. It may be damaged.").waitFor();
      await page.getByLabel("Choose a photo").setInputFiles({ ...PHOTO, mimeType: "image/jpeg" });
      if (javaScriptEnabled) await page.locator('.avatar img[src^="data:image/jpeg"]').waitFor();
      await page.getByRole("button", { name: "Upload photo" }).click();
      await page.getByText("Photo updated.").waitFor();

      await page.goto(`${site.url}/users/${id}`);
      await page.getByText("Line two").waitFor();
      strictEqual(
        await page.getByRole("link", { name: "example.com", exact: true }).getAttribute("href"),
        "https://example.com/",
      );
      ok(await page.locator("main .avatar img").evaluate((image: HTMLImageElement) => image.decode().then(() => true)));

      await page.goto(`${site.url}/profile`);
      strictEqual(await page.getByLabel("About you").inputValue(), "Line one\nLine two");
      strictEqual(await page.getByText("You have unsaved changes").count(), 0);
      await page.getByRole("button", { name: "Remove photo" }).click();
      await page.getByText("Photo removed.").waitFor();
      strictEqual(await page.locator("main .avatar img").count(), 0);

      const preview = page.getByRole("region", { name: "How others see you" });
      await preview.getByText("Anyone can see this address.").waitFor();
      await preview.getByRole("button", { name: "Hide my email address" }).click();
      await page.getByText("Other people can no longer see it.").waitFor();
      strictEqual(await preview.getByRole("link", { name: "profile-" }).count(), 0);
      await preview.getByRole("button", { name: "Show my email address" }).click();
      await preview.getByRole("link", { name: "profile-" }).waitFor();
    }, { javaScriptEnabled, allow: REFUSED });
  });
}

Deno.test("a save that fails offline keeps the changes, leaves one message that ends, and can be repeated", async () => {
  await withPage(site.browser, async (page) => {
    await site.logIn(page.context(), "lost@example.com", { name: "Lost" });
    await page.goto(`${site.url}/profile`);
    await page.getByLabel("Name").fill("Found");
    await page.getByText("You have unsaved changes").waitFor();
    await page.context().setOffline(true);
    await page.getByText("You’re offline. Your").waitFor();
    await save(page);
    await page.locator(".connection:focus").waitFor();
    strictEqual(await page.getByText("You’re offline").count(), 1);
    strictEqual(await page.getByRole("alert").count(), 0);
    strictEqual(await page.getByLabel("Name").inputValue(), "Found");
    await page.getByRole("region", { name: "How others see you" }).getByText("Lost", { exact: true }).waitFor();

    await assertWarns(page, `${site.url}/users`);

    await page.context().setOffline(false);
    await page.getByText("You’re offline").waitFor({ state: "detached" });
    await page.getByText("You have unsaved changes").waitFor();
    await save(page);
    await page.getByText("Profile saved.").waitFor();
    await assertLeaves(page, `${site.url}/dashboard`);
    await page.getByRole("heading", { name: "Hello, Found" }).waitFor();
  }, { allow: [/ERR_INTERNET_DISCONNECTED/] });
});

Deno.test("a dropped photo shows its upload progress and can be canceled", async () => {
  await withPage(site.browser, async (page) => {
    await site.logIn(page.context(), "dropped@example.com");
    await page.goto(`${site.url}/profile`, { waitUntil: "networkidle" });
    const released = Promise.withResolvers<void>();
    await page.route("**/api/upload/image", async (route) => {
      await released.promise;
      await route.continue().catch(() => {}); // fails if the page has canceled it
    });
    const transfer = await page.evaluateHandle((bytes) => {
      const data = new DataTransfer();
      data.items.add(new File([Uint8Array.from(bytes)], "me.png", { type: "image/png" }));
      return data;
    }, [...PHOTO.buffer]);
    await page.locator(".drop").dispatchEvent("drop", { dataTransfer: transfer });
    await page.locator('.avatar img[src^="data:image/png"]').waitFor();
    await page.getByRole("button", { name: "Upload photo" }).click();
    await page.getByRole("progressbar", { name: "Uploading photo" }).waitFor();
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.getByText("Your photo hasn’t changed").waitFor();
    released.resolve();
    await page.unroute("**/api/upload/image");
    await page.getByRole("button", { name: "Upload photo" }).click();
    await page.getByText("Photo updated.").waitFor();
  });
});

Deno.test("a printed profile shows the person and no controls", async () => {
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

Deno.test("with text at 200%, a long web address takes one line and initials fit into their circle", async () => {
  await withPage(site.browser, async (page) => {
    const id = await site.logIn(page.context(), "wide@example.com", { name: "Wilma Wolfram" });
    const website = `https://example.com/${"long-".repeat(380)}`;
    await page.goto(`${site.url}/profile`);
    await page.getByLabel("Website").fill(website);
    await save(page);
    await page.getByText("Profile saved.").waitFor();
    for (const path of ["/users", `/users/${id}`]) {
      await page.goto(site.url + path);
      await page.addStyleTag({ content: "html { font-size: 200% }" });
      const [text, circle] = await page.locator('main [data-initials="WW"]').evaluate((letters) => {
        const { width, height } = letters.getBoundingClientRect();
        return [Math.max(width, height), letters.parentElement!.clientWidth];
      });
      ok(text > 0 && text < circle, `${path}: ${text} px in ${circle}`);
    }
    const link = page.getByRole("link", { name: "example.com/long-" });
    strictEqual(await link.getAttribute("href"), website);
    ok((await link.boundingBox())!.height < 80);
  });
});

Deno.test("a right-to-left name stays beside its photo", async () => {
  await withPage(site.browser, async (page) => {
    await site.logIn(page.context(), "rtl@example.com", { name: "محمد علي" });
    for (const path of ["/users", "/profile"]) {
      await page.goto(site.url + path);
      const gap = await page.locator("main .card", { hasText: "محمد علي" }).first().evaluate((card) => {
        const range = document.createRange();
        range.selectNodeContents(card.querySelector(".person-name")!);
        return range.getBoundingClientRect().left - card.querySelector(".avatar")!.getBoundingClientRect().right;
      });
      ok(gap >= 0 && gap < 32, `${path}: ${gap} px`);
    }
  });
});

async function save(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Save profile" }).click();
}

/** The text that screen readers announce with a field. */
async function described(page: Page, label: string): Promise<string> {
  const ids = (await page.getByLabel(label).getAttribute("aria-describedby"))!.split(" ");
  return (await Promise.all(ids.map((id) => page.locator(`#${id}`).innerText()))).join(" ");
}

Deno.test("where the photo of another site is gone, the initials show in its place", async () => {
  await withPage(site.browser, async (page) => {
    const id = await site.logIn(page.context(), "torn-photo@example.com");
    const setAvatar = (avatar: string | null) =>
      site.app.services.db.updateTable("users").set({ avatar }).where("id", "=", id).execute();
    const shown = async () => {
      const faces = [];
      for (const path of ["/users", `/users/${id}`, "/profile"]) {
        await page.goto(site.url + path, { waitUntil: "networkidle" });
        for (const face of [page.locator("main .avatar").first(), page.locator("header .avatar")]) {
          faces.push((await face.screenshot()).toString("base64"));
        }
      }
      return faces;
    };
    const initials = await shown();
    await setAvatar(`${site.url}/gone.png`);
    deepStrictEqual(await shown(), initials);
  }, { allow: REFUSED });
});
