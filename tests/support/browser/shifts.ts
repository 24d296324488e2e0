import { PATIENCE_MS } from "../wait_for.ts";
import type { Page } from "./browser.ts";

declare global {
  var paintedAt: number;
}

/** Opens a page whose scripts and pictures arrive only after it has been painted, as they do on a slow network. */
export async function openSlowly(page: Page, url: string): Promise<void> {
  let letFilesPass = () => {};
  const isPainted = new Promise<void>((resolve) => letFilesPass = resolve);
  // times.js is the exception: it blocks the page until it has arrived, so that no time changes after it is shown.
  await page.route(/\.(js|svg|png|webp)(\?|$)/, async (route) => {
    if (!route.request().url().includes("/times.js")) await isPainted;
    await route.fallback();
  });
  await page.goto(url, { waitUntil: "commit" });
  await untilFooter(page);
  await settle(page);
  await page.evaluate(() => globalThis.paintedAt = performance.now());
  letFilesPass();
  await page.waitForLoadState("load");
  await page.unrouteAll();
  await settle(page);
}

/** Waits until a page is shown to its end. A locator would first load Playwright's own script into each page. */
async function untilFooter(page: Page): Promise<void> {
  await page.evaluate(async (patienceMs) => {
    const isShown = () => document.querySelector("body > footer")?.checkVisibility();
    const deadline = performance.now() + patienceMs;
    while (!isShown()) {
      if (performance.now() > deadline) throw new Error(`${location} has no footer`);
      await new Promise((resolve) => setTimeout(resolve, 5)); // frames may not come
    }
  }, PATIENCE_MS);
}

/** Waits until the scripts of a page have run, and the page has been painted. */
export async function settle(page: Page): Promise<void> {
  await page.evaluate(() =>
    new Promise<void>((done) =>
      requestIdleCallback(() => requestAnimationFrame(() => requestAnimationFrame(() => done())), { timeout: 1000 })
    )
  );
}

/**
 * Lists the elements that a page has moved since `openSlowly` saw it painted, unless someone pressed a key or a button.
 * Before that, a busy browser may paint half of a row, which then grows.
 */
export async function movedElements(page: Page): Promise<string[]> {
  return await page.evaluate(async () => {
    type Shift = PerformanceEntry & { hadRecentInput: boolean; sources: Source[] };
    type Source = { node: Element | null; previousRect: DOMRect; currentRect: DOMRect };
    const place = ({ x, y, width, height }: DOMRect) => [x, y, width, height].map(Math.round).join(" ");
    const shifts = await new Promise<Shift[]>((resolve) => {
      const observer = new PerformanceObserver((list) => resolve(list.getEntries() as Shift[]));
      observer.observe({ type: "layout-shift", buffered: true });
      setTimeout(() => resolve(observer.takeRecords() as Shift[]), 50);
    });
    return shifts.filter(({ hadRecentInput, startTime }) => !hadRecentInput && startTime > globalThis.paintedAt)
      .flatMap(({ sources }) =>
        sources.map(({ node, previousRect, currentRect }) => {
          const name = node?.outerHTML?.slice(0, 80) ?? node?.nodeValue ?? "gone";
          return `${name}: from ${place(previousRect)} to ${place(currentRect)}`;
        })
      );
  });
}
