import axe from "axe-core/axe.min.js";
import type { Page } from "./browser.ts";

/** Axe leaves out this rule of WCAG 2.2 unless it is asked for. */
const RULE_ABOUT_PLACES = "target-size";
const RULE_ABOUT_COLORS = "color-contrast";
const WIDTHS = [1280, 640, 320];
const SCHEMES = ["light", "dark"] as const;
const MARKED = "[data-axe-look]";

/** Lists what axe finds on a page: by all rules, or only by some. */
export async function axeFindings(page: Page, runOnly?: string[]): Promise<string[]> {
  return (await run(page, runOnly ? { runOnly } : { rules: { [RULE_ABOUT_PLACES]: { enabled: true } } })).problems;
}

/**
 * Lists what axe finds on a desktop, at a zoom of 200% and on a narrow phone, in light and dark mode. To save time, a
 * rule runs again only where something is different that it depends on, and the one about colors looks at one text of
 * each look.
 *
 * @param passed the looks that have passed on earlier pages. They do not have to pass again. Without it, the rule about
 *   colors looks at all texts on a desktop.
 */
export async function axeFindingsAtAllSizes(page: Page, passed?: Set<string>): Promise<string[]> {
  const findings: string[] = [];
  const passedLooks = passed ?? new Set();
  const seen = new Set<string>();
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 800 });
    for (const colorScheme of SCHEMES) {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      const { visible, looks } = await page.evaluate(markLooks, [...passedLooks]);
      const found: string[] = [];
      const isWhole = passed === undefined && width === WIDTHS[0];
      if (isWhole || looks.length > 0) {
        const { problems, passing } = await run(page, { runOnly: [RULE_ABOUT_COLORS] }, isWhole ? undefined : MARKED);
        found.push(...problems);
        for (const index of isWhole ? looks.keys() : passing) passedLooks.add(looks[index]);
      }
      if (!seen.has(visible)) {
        const rules = { [RULE_ABOUT_COLORS]: { enabled: false }, [RULE_ABOUT_PLACES]: { enabled: true } };
        found.push(...(await run(page, { rules })).problems);
      } else if (colorScheme === SCHEMES[0]) {
        found.push(...(await run(page, { runOnly: [RULE_ABOUT_PLACES] })).problems);
      }
      seen.add(visible);
      findings.push(...found.map((finding) => `${width} px, ${colorScheme}: ${finding}`));
    }
  }
  await page.evaluate(() => {
    for (const element of document.querySelectorAll("[data-axe-look]")) element.removeAttribute("data-axe-look");
  });
  return findings;
}

type Options = { runOnly?: string[]; rules?: Record<string, { enabled: boolean }> };

interface Results {
  problems: string[];
  /** The numbers of the marked elements that have passed. */
  passing: number[];
}

async function run(page: Page, options: Options, selector?: string): Promise<Results> {
  if (!await page.evaluate(() => "axe" in globalThis)) await loadAxe(page);
  return await page.evaluate(async ({ options, selector }) => {
    const context = selector === undefined ? document : { include: [...document.querySelectorAll(selector)] };
    type Found = { id: string; nodes: { html: string; failureSummary: string; element: HTMLElement }[] }[];
    // deno-lint-ignore no-explicit-any -- loaded above
    const { violations, passes }: { violations: Found; passes: Found } = await (globalThis as any).axe.run(context, {
      // Describing all elements of a page that pass takes long.
      resultTypes: selector === undefined ? ["violations"] : ["violations", "passes"],
      elementRef: true,
      preload: false, // It would look for imported style sheets beside the page.
      ...options,
    });
    return {
      problems: violations.flatMap(({ id, nodes }) =>
        nodes.map(({ html, failureSummary }) => `${id}: ${html.replace(/ data-axe-look="\d*"/, "")} ${failureSummary}`)
      ),
      passing: selector === undefined
        ? []
        : passes.flatMap(({ nodes }) => nodes.flatMap(({ element }) => element?.dataset?.axeLook ?? [])).map(
          Number,
        ),
    };
  }, { options, selector });
}

/** Playwright's own evaluation would copy the half megabyte several times, which takes as long as running axe. */
async function loadAxe(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const { exceptionDetails } = await session.send("Runtime.evaluate", { expression: axe.source });
  if (exceptionDetails) throw new Error(`Axe does not load: ${exceptionDetails.text}`);
  await session.detach();
}

/**
 * Runs in the page. Marks one visible element for each look of a text that has not passed: its color, its size and what
 * is behind it. Returns these looks in the order of their marks, and which elements are visible.
 */
function markLooks(passed: string[]): { visible: string; looks: string[] } {
  const looks = new Map<string, Element>();
  const known = new Set(passed);
  /** What is behind the text of an element, from the front. */
  const behind = new Map<Element, string>();
  const all = [...document.body.querySelectorAll("*")];
  const visible = all.map((element) => Number(element.checkVisibility({ visibilityProperty: true }))).join("");
  for (const [index, element] of all.entries()) {
    element.removeAttribute("data-axe-look");
    const { color, fontSize, fontWeight, backgroundColor, backgroundImage, opacity } = getComputedStyle(element);
    const own = [backgroundColor, backgroundImage, opacity].join(" ");
    const above = behind.get(element.parentElement!) ?? "";
    behind.set(element, own === "rgba(0, 0, 0, 0) none 1" ? above : `${own}; ${above}`);
    const hasText = [...element.childNodes].some((node) => node.nodeType === 3 && node.nodeValue!.trim() !== "");
    if (visible[index] === "0" || !(hasText || element.matches("input, textarea"))) continue;
    const look = [color, fontSize, fontWeight, behind.get(element)].join(" ");
    if (!known.has(look) && !looks.has(look)) looks.set(look, element);
  }
  for (const [index, element] of [...looks.values()].entries()) element.setAttribute("data-axe-look", String(index));
  return { visible, looks: [...looks.keys()] };
}
