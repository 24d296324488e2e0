import type { Page } from "./browser.ts";

/**
 * Lists what people cannot see where the system chooses the colors, such as in the high contrast mode of Windows:
 * controls without an edge, and controls that do not show the focus. Backgrounds and shadows are gone there.
 */
export async function forcedColorsProblems(page: Page): Promise<string[]> {
  await page.emulateMedia({ forcedColors: "active" });
  await page.keyboard.press("Shift"); // Scripts that focus then show the focus, as the keyboard does.
  const problems = await page.evaluate(findInvisible);
  await page.emulateMedia({ forcedColors: "none" });
  return problems;
}

/** Runs in the page. */
function findInvisible(): string[] {
  const problems: string[] = [];
  const describe = (element: Element) => element.outerHTML.replace(/>[^]*/, ">").slice(0, 100);
  const isVisible = (element: Element) => element.checkVisibility({ visibilityProperty: true });
  /** The browser draws these itself. */
  const DRAWN = "[type=hidden], [type=checkbox], [type=radio]";

  for (const control of document.querySelectorAll(`button, .button, input:not(${DRAWN}), select, textarea`)) {
    // The rows of a menu need no edge: the menu has one.
    if (isVisible(control) && !control.closest("[popover]") && !hasEdge(control)) {
      problems.push(`has no edge: ${describe(control)}`);
    }
  }
  for (const control of document.querySelectorAll<HTMLElement>("a[href], button, input, select, textarea, summary")) {
    if (!isVisible(control) || control.matches("[type=hidden], :disabled")) continue;
    control.focus();
    const shown = [control, control.parentElement!].some((each) => {
      const { outlineStyle, outlineWidth } = getComputedStyle(each);
      return outlineStyle !== "none" && parseFloat(outlineWidth) >= 2;
    });
    if (!shown) problems.push(`does not show the focus: ${describe(control)}`);
  }
  return problems;

  /**
   * Whether the control, the box that it fills or the picture that fills it has a border that differs from the page.
   */
  function hasEdge(control: Element): boolean {
    return [control, control.parentElement!, control.firstElementChild].some((element) => {
      if (element === null) return false;
      const { borderBlockEndStyle, borderBlockEndWidth, borderBlockEndColor } = getComputedStyle(element);
      const isDrawn = borderBlockEndStyle !== "none" && parseFloat(borderBlockEndWidth) >= 1;
      return isDrawn && borderBlockEndColor !== getComputedStyle(document.body).backgroundColor;
    });
  }
}
