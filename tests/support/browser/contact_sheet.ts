import type { Browser, Page } from "./browser.ts";

/** A page or an email as people see it. */
export interface View {
  device: "phone" | "desktop";
  colorScheme: "light" | "dark";
}

/** The views of a page or an email, with its name. */
export interface Photographed {
  name: string;
  shots: (View & { content: Uint8Array })[];
}

/** Light before dark: nothing but the colors depends on the scheme. */
const VIEWS: View[] = (["desktop", "phone"] as const).flatMap((device) =>
  (["light", "dark"] as const).map((colorScheme) => ({ device, colorScheme }))
);
/** Longer pages are cut off. */
const MAX_HEIGHT = 2000;
const STYLES = `
body { margin: 16px; width: 1400px; background: #777; color: #fff; font: 14px sans-serif; columns: 2; column-gap: 16px }
h1 { margin: 0; column-span: all; font-size: 20px }
article { break-inside: avoid; margin: 8px 0 24px }
h2 { margin: 0 0 4px; font-size: 14px }
div { display: grid; grid-template-columns: 300px 250px 132px; gap: 4px; align-items: start }
img { display: block; width: 100% }
.phone.light { grid-row: 1 / 3 }
.desktop.light { grid-area: 1 / 2 / 2 / 4 }
.phone.dark { grid-area: 2 / 3 }`;

/** Photographs a page in every view. Each shot shows its whole length. */
export async function photograph(page: Page, widths: Record<View["device"], number>): Promise<Photographed["shots"]> {
  const shots = [];
  for (const { device, colorScheme } of VIEWS) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await page.setViewportSize({ width: widths[device], height: 800 });
    const length = await untilPainted(page);
    const clip = { x: 0, y: 0, width: widths[device], height: Math.min(length, MAX_HEIGHT) };
    const content = await page.screenshot({ type: "jpeg", quality: 80, fullPage: true, clip });
    shots.push({ device, colorScheme, content });
  }
  return shots;
}

/** Puts all views of several pages or emails on one picture, as a PNG. */
export async function contactSheet(browser: Browser, title: string, items: Photographed[]): Promise<Uint8Array> {
  const page = await browser.newPage({ viewport: { width: 1432, height: 800 } });
  await page.setContent(
    `<!DOCTYPE html><style>${STYLES}</style><h1>${title}</h1>` +
      items.map(({ name, shots }) =>
        `<article><h2>${name}</h2><div>${
          shots.map(({ device, colorScheme, content }) =>
            `<img class="${device} ${colorScheme}" src="data:image/jpeg;base64,${Uint8Array.from(content).toBase64()}">`
          ).join("")
        }</div></article>`
      ).join(""),
  );
  await untilPainted(page);
  const sheet = await page.screenshot({ fullPage: true });
  await page.close();
  return sheet;
}

/** Waits until the page is painted: an earlier picture would have blank areas. Returns how long the page is. */
async function untilPainted(page: Page): Promise<number> {
  return await page.evaluate(async () => {
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    return document.documentElement.scrollHeight;
  });
}
