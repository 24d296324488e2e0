import type { Page } from "./browser.ts";

/** Opens a page whose scripts arrive only after it has been painted, as they do on a slow network. */
export async function openSlowly(page: Page, url: string): Promise<void> {
  let letScriptsPass = () => {};
  const isPainted = new Promise<void>((resolve) => letScriptsPass = resolve);
  // times.js is the exception: it blocks the page until it has arrived, so that no time changes after it is shown.
  await page.route(/\.js(\?|$)/, async (route) => {
    if (!route.request().url().includes("/times.js")) await isPainted;
    await route.fallback();
  });
  await page.goto(url, { waitUntil: "commit" });
  await page.getByRole("contentinfo").waitFor();
  await settle(page);
  letScriptsPass();
  await page.waitForLoadState("load");
  await page.unrouteAll();
  await settle(page);
}

/** Waits until the scripts of a page have run, and the page has been painted. */
export async function settle(page: Page): Promise<void> {
  await page.evaluate(() =>
    new Promise<void>((done) =>
      requestIdleCallback(() => requestAnimationFrame(() => requestAnimationFrame(() => done())), { timeout: 1000 })
    )
  );
}

/** Lists the elements that the page has moved since it was painted first, unless someone pressed a key or a button. */
export async function movedElements(page: Page): Promise<string[]> {
  return await page.evaluate(async () => {
    type Shift = PerformanceEntry & { hadRecentInput: boolean; sources: { node: Element | null }[] };
    const shifts = await new Promise<Shift[]>((resolve) => {
      const observer = new PerformanceObserver((list) => resolve(list.getEntries() as Shift[]));
      observer.observe({ type: "layout-shift", buffered: true });
      setTimeout(() => resolve(observer.takeRecords() as Shift[]), 50);
    });
    return shifts.filter(({ hadRecentInput }) => !hadRecentInput)
      .flatMap(({ sources }) => sources.map(({ node }) => node?.outerHTML?.slice(0, 80) ?? node?.nodeValue ?? "gone"));
  });
}
