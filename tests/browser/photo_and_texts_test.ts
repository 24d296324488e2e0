import { strictEqual } from "node:assert/strict";
import { Buffer } from "node:buffer";
import { assertLeaves, assertWarns, type Page, withPage } from "../support/browser/browser.ts";
import { assertQuarters, QUARTERS, quarters, UPRIGHT } from "../support/images/pictures.ts";
import { BOTH_WAYS, openSharedSite } from "../support/browser/shared_site.ts";

const site = await openSharedSite();
const folder = await Deno.makeTempDir({ prefix: "foyer-files-" });
Deno.test.afterAll(() => Deno.remove(folder, { recursive: true }));
const PHOTO = { name: "me.png", mimeType: "image/png", buffer: await quarters().png().toBuffer() };
const CLEAR = [0, 0, 0, 0] as [number, number, number, number];
const PREVIEW = '.drop .avatar img[src^="data:image/png"]';
/** Bytes after the end of an image make its file larger. */
const PADDING = Buffer.alloc(5 * 1024 * 1024);
const large = () => quarters().resize(3200, 2400, { kernel: "nearest" });

for (const { way, javaScriptEnabled } of BOTH_WAYS) {
  Deno.test(`"Save profile" saves the texts and the chosen photo, ${way}`, async () => {
    await withPage(site.browser, async (page) => {
      await visit(page, `both-${javaScriptEnabled}@example.com`);
      await page.getByLabel("About you").fill("With a photo");
      await page.getByLabel("Choose a photo").setInputFiles(PHOTO);
      await page.getByRole("button", { name: "Save profile" }).click();
      await page.getByText("Photo updated.").waitFor();
      await page.getByText("Profile saved.").waitFor();
      await assertQuarters(await storedPhoto(page));
      strictEqual((await profileOf(page)).bio, "With a photo");
    }, { javaScriptEnabled });
  });

  Deno.test(`removing the photo loses no text and says what happened, ${way}`, async () => {
    await withPage(site.browser, async (page) => {
      await visit(page, `removed-${javaScriptEnabled}@example.com`);
      await page.getByLabel("Choose a photo").setInputFiles(PHOTO);
      await page.getByRole("button", { name: "Upload photo" }).click();
      await page.getByText("Photo updated.").waitFor();
      await page.getByLabel("About you").fill("Still typing");
      await page.getByRole("button", { name: "Remove photo" }).click();
      await page.getByText("Photo removed.").waitFor();
      strictEqual(await page.getByLabel("About you").inputValue(), "Still typing");
      const { avatar, bio } = await profileOf(page);
      strictEqual(avatar, null);
      strictEqual(bio, javaScriptEnabled ? "" : "Still typing");
      if (!javaScriptEnabled) return;
      await page.getByText("You have unsaved changes").waitFor();
      await page.locator("#file:focus").waitFor();
    }, { javaScriptEnabled });
  });
}

for (const { way, javaScriptEnabled } of BOTH_WAYS) {
  Deno.test(`people choose which part of a photo stays, ${way}`, async () => {
    await withPage(site.browser, async (page) => {
      await visit(page, `crop-${javaScriptEnabled}@example.com`);
      const buffer = await quarters(QUARTERS, 160, 80).png().toBuffer();
      const upload = async () => {
        await page.getByLabel("Choose a photo").setInputFiles({ ...PHOTO, buffer });
        await page.getByRole("button", { name: "Upload photo" }).click();
        await page.getByText("Photo updated.").waitFor();
      };
      const [red, green, white, blue] = QUARTERS;
      if (javaScriptEnabled) {
        await page.getByRole("group", { name: "If it isn’t square" }).waitFor({ state: "detached" });
        await page.getByLabel("Choose a photo").setInputFiles({ ...PHOTO, buffer });
        await page.getByLabel("bottom or right").check();
        strictEqual(
          await page.locator(PREVIEW).evaluate((image) => getComputedStyle(image).objectPosition),
          "100% 100%",
        );
        await page.getByRole("button", { name: "Upload photo" }).click();
        await page.getByText("Photo updated.").waitFor();
      } else {
        await page.getByLabel("Website").fill("nowhere");
        await page.getByLabel("bottom or right").check();
        await page.getByRole("button", { name: "Save profile" }).click();
        await page.getByText("Enter a web address like example.com").waitFor();
        strictEqual(await page.getByLabel("bottom or right").isChecked(), true);
        await page.getByLabel("Website").fill("");
        await upload();
      }
      await assertQuarters(await storedPhoto(page), [green, green, white, white]);
      await upload();
      await assertQuarters(await storedPhoto(page));
      await page.getByLabel("Choose a photo").setInputFiles({ ...PHOTO, buffer });
      await page.getByLabel("top or left").check();
      await page.getByRole("button", { name: "Save profile" }).click();
      await page.getByText("Photo updated.").waitFor();
      await assertQuarters(await storedPhoto(page), [red, red, blue, blue]);
    }, { javaScriptEnabled, allow: [/status of 400/] });
  });
}

Deno.test("leaving with a chosen photo gives a warning, until the photo is saved", async () => {
  await withPage(site.browser, async (page) => {
    await visit(page, "leaving@example.com");
    await page.getByLabel("Choose a photo").setInputFiles(PHOTO);
    await page.getByText("This photo isn’t saved yet.").waitFor();
    await assertWarns(page, `${site.url}/users`);
    await page.getByRole("button", { name: "Upload photo" }).click();
    await page.getByText("Photo updated.").waitFor();
    await assertLeaves(page, `${site.url}/users`);
  });
});

Deno.test("a photo stays chosen when the texts are refused", async () => {
  await withPage(site.browser, async (page) => {
    await visit(page, "kept@example.com");
    await page.getByLabel("Website").fill("nowhere");
    await page.getByLabel("Choose a photo").setInputFiles(PHOTO);
    await page.getByRole("button", { name: "Save profile" }).click();
    await page.locator("#website-error").waitFor();
    await page.getByText("This photo isn’t saved yet.").waitFor();
    strictEqual(await page.getByLabel("Choose a photo").inputValue(), "C:\\fakepath\\me.png");
    await page.getByLabel("Website").fill("https://example.com");
    await page.getByRole("button", { name: "Save profile" }).click();
    await page.getByText("Photo updated.").waitFor();
  });
});

Deno.test("without scripts, a refused form keeps the texts, and says what to do about the photo", async () => {
  await withPage(site.browser, async (page) => {
    await visit(page, "refused@example.com");
    await page.getByLabel("About you").fill("Not lost");
    await page.getByLabel("Website").fill("nowhere");
    await page.getByLabel("Choose a photo").setInputFiles(PHOTO);
    await page.getByRole("button", { name: "Save profile" }).click();
    await page.locator(".field-error").getByText("Choose your file again. It hasn’t been saved.").waitFor();
    strictEqual(await page.getByLabel("About you").inputValue(), "Not lost");

    await page.getByLabel("Website").fill("");
    for (const copies of [1, 4]) {
      const bytes = Buffer.concat([PHOTO.buffer, ...Array(copies).fill(PADDING)]);
      await page.getByLabel("Choose a photo").setInputFiles(await largeFile(PHOTO.name, bytes));
      await page.getByRole("button", { name: "Save profile" }).click();
      await page.locator(".field-error").getByText("Choose an image smaller than 5 MB, or turn on JavaScript")
        .waitFor();
      strictEqual(await page.getByLabel("About you").inputValue(), "Not lost");
    }
  }, { javaScriptEnabled: false, allow: [/status of 4(00|13)/] });
});

const LARGE_PHOTOS = [
  {
    name: "phone.jpg",
    image: large().jpeg().withMetadata({ orientation: 6 }),
    shown: UPRIGHT[5],
  },
  {
    name: "drawing.png",
    image: quarters([CLEAR, CLEAR, CLEAR, CLEAR]).png(),
    shown: [CLEAR, CLEAR, CLEAR, CLEAR],
  },
  { name: "still.webp", image: large().webp({ lossless: true }), shown: undefined },
];

for (const { name, image, shown } of LARGE_PHOTOS) {
  Deno.test(`${name} of more than 5 MiB is made smaller before it is sent`, async () => {
    await withPage(site.browser, async (page) => {
      await visit(page, `${name.replace(".", "-")}@example.com`);
      const bytes = Buffer.concat([await image.toBuffer(), PADDING]);
      await page.getByLabel("Choose a photo").setInputFiles(await largeFile(name, bytes));
      await page.getByRole("button", { name: "Upload photo" }).click();
      await page.getByText("Photo updated.").waitFor();
      await assertQuarters(await storedPhoto(page), shown);
    });
  });
}

Deno.test("a photo that cannot be made smaller is refused with a reason", async () => {
  await withPage(site.browser, async (page) => {
    await visit(page, "unshrinkable@example.com");
    const sent: string[] = [];
    page.on("request", (request) => request.method() === "POST" && sent.push(request.url()));
    const field = page.getByLabel("Choose a photo");
    const bytes = Buffer.concat([PADDING, PADDING]);
    await field.setInputFiles(await largeFile("moving.gif", bytes));
    await page.locator(".field-error").getByText("Choose a GIF smaller than 5 MB").waitFor();
    strictEqual(sent.join(), "");
    await field.setInputFiles(await largeFile("torn.jpg", bytes));
    await page.getByRole("button", { name: "Upload photo" }).click();
    await page.locator(".field-error").getByText("Choose an image smaller than 5 MB").waitFor();
    strictEqual(sent.join(), "");
  });
});

/** Writes a file and returns its path: the browser reads it much faster than it takes bytes from a test. */
async function largeFile(name: string, bytes: Uint8Array): Promise<string> {
  await Deno.writeFile(`${folder}/${name}`, bytes);
  return `${folder}/${name}`;
}

async function visit(page: Page, email: string): Promise<void> {
  await site.logIn(page.context(), email);
  await page.goto(`${site.url}/profile`, { waitUntil: "networkidle" });
}

async function profileOf(page: Page): Promise<{ avatar: string | null; bio: string }> {
  return (await (await page.request.get(`${site.url}/api/profile`)).json()).user;
}

async function storedPhoto(page: Page): Promise<Uint8Array> {
  return await (await page.request.get((await profileOf(page)).avatar!)).body();
}
