import { ok, strictEqual } from "node:assert/strict";
import { type Page, withPage } from "../support/browser/browser.ts";
import { openSharedSite } from "../support/browser/shared_site.ts";

const site = await openSharedSite();
const { browser, url } = site;
const BRANDS = [
  "#1f6355",
  "#ff0000",
  "#ffff00",
  "#00ff00",
  "#00ffff",
  "#0000ff",
  "#ff00ff",
  "#ff8c00",
  "#000",
  "#808080",
  "#fff",
];
const TEXT_CONTRAST = 4.5;
/** For borders of fields and focus indicators. Source: WCAG 2.2, 1.4.11. */
const SHAPE_CONTRAST = 3;
/** The colours that appear on each other, with their minimum contrast. */
const PAIRS: [front: string, back: string, minimum: number][] = [
  ["--text", "--background", TEXT_CONTRAST],
  ["--text", "--surface", TEXT_CONTRAST],
  ["--text", "--accent-surface", TEXT_CONTRAST],
  ["--text", "--danger-surface", TEXT_CONTRAST],
  ["--text-soft", "--background", TEXT_CONTRAST],
  ["--text-soft", "--surface", TEXT_CONTRAST],
  ["--text-soft", "--accent-surface", TEXT_CONTRAST],
  ["--accent", "--background", TEXT_CONTRAST],
  ["--accent", "--surface", TEXT_CONTRAST],
  ["--accent", "--accent-surface", TEXT_CONTRAST],
  ["--accent-hover", "--background", TEXT_CONTRAST],
  ["--accent-hover", "--accent-surface", TEXT_CONTRAST],
  ["--on-accent", "--accent", TEXT_CONTRAST],
  ["--on-accent", "--accent-hover", TEXT_CONTRAST],
  ["--danger", "--background", TEXT_CONTRAST],
  ["--danger", "--surface", TEXT_CONTRAST],
  ["--danger", "--danger-surface", TEXT_CONTRAST],
  ["--background", "--danger", TEXT_CONTRAST],
  ["--good", "--good-surface", TEXT_CONTRAST],
  ["--good", "--surface", TEXT_CONTRAST],
  ["--good", "--background", TEXT_CONTRAST],
  ["--warn", "--warn-surface", TEXT_CONTRAST],
  ...["--sunken", "--good-surface", "--warn-surface"].flatMap((back) =>
    ["--text", "--text-soft", "--accent", "--accent-hover"].map((front) =>
      [front, back, TEXT_CONTRAST] satisfies [string, string, number]
    )
  ),
  ["--line", "--background", SHAPE_CONTRAST],
  ["--line", "--surface", SHAPE_CONTRAST],
];

for (const colorScheme of ["light", "dark"] as const) {
  Deno.test(`text is readable with any brand colour, ${colorScheme}`, async () => {
    await withPage(browser, async (page) => {
      await page.goto(url);
      for (const brand of BRANDS) {
        await page.evaluate((brand) => document.documentElement.style.setProperty("--brand", brand), brand);
        for (const [front, back, minimum] of PAIRS) {
          const ratio = contrast(await channels(page, front), await channels(page, back));
          ok(ratio >= minimum, `${brand}: ${front} on ${back} has a contrast of ${ratio.toFixed(2)}`);
        }
      }
    }, { colorScheme });
  });
}

for (const colorScheme of ["light", "dark"] as const) {
  Deno.test(`success, warning and danger look different with any brand colour, ${colorScheme}`, async () => {
    await withPage(browser, async (page) => {
      await page.goto(url);
      const meanings = ["good", "warn", "danger"].flatMap((name) => [`--${name}`, `--${name}-surface`]);
      const colors = async () => String(await Promise.all(meanings.map((name) => channels(page, name))));
      const ours = await colors();
      for (const brand of BRANDS) {
        await page.evaluate((brand) => document.documentElement.style.setProperty("--brand", brand), brand);
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
    await page.evaluate(() => document.documentElement.style.setProperty("--brand", "#c62828"));
    const background = (name: string) =>
      page.getByRole("link", { name }).evaluate((link) => getComputedStyle(link).backgroundColor);
    strictEqual(await background("Delete account"), await resolved(page, "--surface"), "outlined");
    strictEqual(await background("Download my data"), await resolved(page, "--accent"), "filled");
    await page.context().addCookies([{ name: "notice", value: "profile_saved", url }]);
    await page.goto(`${url}/profile`);
    await page.evaluate(() => document.documentElement.style.setProperty("--brand", "#c62828"));
    const notice = page.getByText("Profile saved.").locator("..");
    strictEqual(
      await notice.evaluate((notice) => getComputedStyle(notice).backgroundColor),
      await resolved(page, "--good-surface"),
    );
  });
});

Deno.test("where the system decides the colours, a dangerous action and an error still look different", async () => {
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

Deno.test("the accent colour follows the brand", async () => {
  await withPage(browser, async (page) => {
    await page.emulateMedia({ reducedMotion: "reduce" }); // without a transition, the colour changes at once
    await page.goto(url);
    const ours = String(await channels(page, "--accent"));
    await page.evaluate(() => document.documentElement.style.setProperty("--brand", "#0000ff"));
    const [red, green, blue] = await channels(page, "--accent");
    ok(String([red, green, blue]) !== ours && blue > 2 * red && blue > 2 * green, `${red} ${green} ${blue}`);
    const button = page.getByRole("main").getByRole("link").first();
    strictEqual(
      await button.evaluate((link) => getComputedStyle(link).backgroundColor),
      await resolved(page, "--accent"),
    );
  });
});

/** The red, green and blue values that a screen shows, from 0 to 255. */
async function channels(page: Page, property: string): Promise<number[]> {
  return await page.evaluate((color) => {
    const context = new OffscreenCanvas(1, 1).getContext("2d")!;
    context.fillStyle = color;
    context.fillRect(0, 0, 1, 1);
    return [...context.getImageData(0, 0, 1, 1).data].slice(0, 3);
  }, await resolved(page, property));
}

/** The computed value of a colour property, without functions such as `light-dark()`. */
async function resolved(page: Page, property: string): Promise<string> {
  return await page.evaluate((property) => {
    const probe = document.body.appendChild(document.createElement("span"));
    probe.style.color = `var(${property})`;
    const { color } = getComputedStyle(probe);
    probe.remove();
    return color;
  }, property);
}

/** Source: WCAG 2.2, "contrast ratio" and "relative luminance". */
function contrast(one: number[], other: number[]): number {
  const [bright, dark] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (bright + 0.05) / (dark + 0.05);
}

function luminance(rgb: number[]): number {
  const [red, green, blue] = rgb.map((channel) => channel / 255).map((channel) =>
    channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4
  );
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
