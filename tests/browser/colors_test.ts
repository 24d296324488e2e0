import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { createBrand } from "../../lib/brand/brand.ts";
import { paletteOf } from "../../lib/brand/palette.ts";
import { axeFindings } from "../support/browser/axe.ts";
import { type Page, withPage } from "../support/browser/browser.ts";
import { openSharedSite } from "../support/browser/shared_site.ts";

const site = await openSharedSite();
const { browser, url } = site;
/** lib/brand/palette_test.ts checks every pair of colors with many brands. These show that browsers see the same. */
const BRANDS = ["#c62828", "#fff3b0", "#111111", "#0000ff"];

for (const colorScheme of ["light", "dark"] as const) {
  Deno.test(`pages have no faults with any brand color, ${colorScheme}`, async () => {
    await withPage(browser, async (page) => {
      await page.emulateMedia({ reducedMotion: "reduce" });
      await page.goto(`${url}/login`);
      for (const brand of BRANDS) {
        await useBrand(page, brand);
        deepStrictEqual(await axeFindings(page), [], brand);
        deepStrictEqual(hexOf(await channels(page, "--accent")), paletteOf(brand).accent[colorScheme], brand);
      }
    }, { colorScheme });
  });
}

for (const colorScheme of ["light", "dark"] as const) {
  Deno.test(`success, warning and danger look different with any brand color, ${colorScheme}`, async () => {
    await withPage(browser, async (page) => {
      await page.goto(url);
      const meanings = ["good", "warn", "danger"].flatMap((name) => [`--${name}`, `--${name}-surface`]);
      const colors = async () => String(await Promise.all(meanings.map((name) => channels(page, name))));
      const ours = await colors();
      for (const brand of BRANDS) {
        await useBrand(page, brand);
        strictEqual(await colors(), ours, brand);
      }
      const [goodRed, goodGreen] = await channels(page, "--good");
      const [dangerRed, dangerGreen] = await channels(page, "--danger");
      ok(goodGreen > goodRed && dangerRed > dangerGreen, `${goodRed} ${goodGreen} ${dangerRed} ${dangerGreen}`);
    }, { colorScheme });
  });
}

Deno.test("where the brand is red, success does not look like danger, nor danger like any other action", async () => {
  await withPage(browser, async (page) => {
    await page.emulateMedia({ reducedMotion: "reduce" });
    await site.logIn(page.context(), "red@example.com");
    await page.goto(`${url}/settings/data`);
    await useBrand(page, "#c62828");
    const background = (name: string) =>
      page.getByRole("link", { name }).evaluate((link) => getComputedStyle(link).backgroundColor);
    strictEqual(await background("Delete account"), await resolved(page, "--surface"), "outlined");
    strictEqual(await background("Download my data"), await resolved(page, "--accent"), "filled");
    await page.context().addCookies([{ name: "notice", value: "profile_saved", url }]);
    await page.goto(`${url}/profile`);
    await useBrand(page, "#c62828");
    const notice = page.getByText("Profile saved.").locator("..");
    strictEqual(
      await notice.evaluate((notice) => getComputedStyle(notice).backgroundColor),
      await resolved(page, "--good-surface"),
    );
  });
});

Deno.test("where the system decides the colors, a dangerous action and an error still look different", async () => {
  await withPage(browser, async (page) => {
    await site.logIn(page.context(), "forced@example.com");
    await page.goto(`${url}/settings/data`);
    const border = (name: string) =>
      page.getByRole("link", { name }).evaluate((link) => getComputedStyle(link).borderBlockStartStyle);
    strictEqual(await border("Delete account"), "double");
    strictEqual(await border("Download my data"), "solid");
    await page.goto(`${url}/settings/password`);
    await page.getByRole("button", { name: "Change password" }).click();
    const field = page.getByLabel("Your current password", { exact: true });
    strictEqual(await field.getAttribute("aria-invalid"), "true");
    await page.getByRole("heading", { level: 1 }).click(); // the focus has an outline of its own
    strictEqual(await field.evaluate((field) => getComputedStyle(field).outlineStyle), "dashed");
  }, { forcedColors: "active", allow: [/status of 400/] });
});

Deno.test("the accent color follows the brand", async () => {
  await withPage(browser, async (page) => {
    await page.emulateMedia({ reducedMotion: "reduce" }); // without a transition, the color changes at once
    await page.goto(url);
    const ours = String(await channels(page, "--accent"));
    await useBrand(page, "#0000ff");
    const [red, green, blue] = await channels(page, "--accent");
    ok(String([red, green, blue]) !== ours && blue > 2 * red && blue > 2 * green, `${red} ${green} ${blue}`);
    const button = page.getByRole("main").getByRole("link").first();
    strictEqual(
      await button.evaluate((link) => getComputedStyle(link).backgroundColor),
      await resolved(page, "--accent"),
    );
  });
});

/** Gives a page the style sheet of a brand with this color. */
async function useBrand(page: Page, color: string): Promise<void> {
  const { files } = createBrand({ name: "Acme", color });
  const css = new TextDecoder().decode(files.get("brand.css")!.content);
  await page.evaluate((css) => {
    const id = "brand-under-test";
    document.getElementById(id)?.remove();
    document.head.append(Object.assign(document.createElement("style"), { id, textContent: css }));
  }, css);
}

function hexOf(channels: number[]): string {
  return `#${new Uint8Array(channels).toHex()}`;
}

/** The red, green and blue values that a screen shows, from 0 to 255. */
async function channels(page: Page, property: string): Promise<number[]> {
  return await page.evaluate((color) => {
    const context = new OffscreenCanvas(1, 1).getContext("2d")!;
    context.fillStyle = color;
    context.fillRect(0, 0, 1, 1);
    return [...context.getImageData(0, 0, 1, 1).data].slice(0, 3);
  }, await resolved(page, property));
}

/** The computed value of a color property, without functions such as `light-dark()`. */
async function resolved(page: Page, property: string): Promise<string> {
  return await page.evaluate((property) => {
    const probe = document.body.appendChild(document.createElement("span"));
    probe.style.color = `var(${property})`;
    const { color } = getComputedStyle(probe);
    probe.remove();
    return color;
  }, property);
}
