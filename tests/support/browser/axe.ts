import axe from "axe-core";
import type { Page } from "./browser.ts";

/** Lists what axe finds on a page: by all rules, or only by some. */
export async function axeFindings(page: Page, runOnly?: string[]): Promise<string[]> {
  if (!await page.evaluate(() => "axe" in globalThis)) await page.evaluate(axe.source);
  return await page.evaluate(async (runOnly) => {
    const options = { resultTypes: ["violations"], ...(runOnly && { runOnly }) };
    // deno-lint-ignore no-explicit-any -- loaded above
    const { violations } = await (globalThis as any).axe.run(document, options);
    return violations.flatMap(({ id, nodes }: { id: string; nodes: { html: string; failureSummary: string }[] }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`)
    );
  }, runOnly);
}
