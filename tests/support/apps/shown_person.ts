import { deepStrictEqual, notStrictEqual, strictEqual } from "node:assert/strict";
import type { Page } from "../browser/browser.ts";
import { NAME } from "./apps_world.ts";

/** What a product in a process of its own shows about the person. */
export async function shown(page: Page): Promise<Record<string, string>> {
  return JSON.parse((await page.locator("pre").textContent())!);
}

/** Fails unless a product shows who the person is, before and after a refresh. */
export async function assertRefreshes(page: Page, { url, email }: { url: string; email: string }): Promise<void> {
  const before = await shown(page);
  deepStrictEqual([before.name, before.email], [NAME, email], JSON.stringify(before));
  await page.goto(`${url}/refresh`);
  const refreshed = await shown(page);
  strictEqual(refreshed.email, email, JSON.stringify(refreshed));
  notStrictEqual(refreshed.token, before.token);
}
