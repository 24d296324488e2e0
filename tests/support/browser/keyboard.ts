import type { Page } from "./browser.ts";

const MAX_LINKS_IN_FRAME = 20;

/**
 * Presses the Tab key from the start of a page to its end. Lists what is wrong: a control that is skipped or reached
 * out of order, one that keeps the focus, is outside the window or covered while it has it, or does not show it.
 */
export async function keyboardProblems(page: Page): Promise<string[]> {
  const count = await page.evaluate(watchFocus);
  if (page.frames().length > 1) await pressThroughFrames(page, count);
  else await Promise.all(Array.from({ length: count }, () => page.keyboard.press("Tab")));
  return await page.evaluate(() => globalThis.focusProblems());
}

/** Presses the Tab key until the page's own controls have been reached. It also leads to the links inside frames. */
async function pressThroughFrames(page: Page, count: number): Promise<void> {
  let reached = 0;
  for (let pressesInFrame = 0; reached < count && pressesInFrame <= MAX_LINKS_IN_FRAME; pressesInFrame++) {
    await page.keyboard.press("Tab");
    const now = await page.evaluate(() => globalThis.focusCount());
    if (now > reached) pressesInFrame = 0;
    reached = now;
  }
}

declare global {
  var focusProblems: () => string[];
  var focusCount: () => number;
  var focusFault: (element: Element) => string | null;
}

/** Runs in the page. Returns how many controls the Tab key should reach. */
function watchFocus(): number {
  const describe = (element?: Element | null) => element?.outerHTML.replace(/>[^]*/, ">").slice(0, 100) ?? "nothing";
  const candidates = "a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex]";
  const isVisible = (element: Element) => element.checkVisibility({ visibilityProperty: true });
  for (const menu of document.querySelectorAll<HTMLElement>(":popover-open")) menu.hidePopover();
  const expected = [...document.querySelectorAll<HTMLInputElement>(candidates)].filter((element) => {
    if (element.disabled || element.tabIndex < 0 || !isVisible(element)) return false;
    // The Tab key reaches one option of a choice. The arrow keys lead to the others.
    if (element.type !== "radio") return true;
    const options = [...document.querySelectorAll<HTMLInputElement>(`input[type=radio][name="${element.name}"]`)];
    return element === (options.find(({ checked }) => checked) ?? options[0]);
  });
  const reached: Element[] = [];
  const problems: string[] = [];
  for (const element of document.querySelectorAll("[tabindex]")) {
    if ((element as HTMLElement).tabIndex > 0) problems.push(`changes the order: ${describe(element)}`);
  }
  // The first press of the Tab key leads to the first control.
  document.querySelector<HTMLElement>("#main")!.focus();
  getSelection()?.removeAllRanges();
  (document.activeElement as HTMLElement).blur();
  const start = document.createElement("span");
  start.tabIndex = -1;
  document.body.prepend(start);
  start.focus();
  start.remove();
  document.addEventListener("focusin", ({ target }) => {
    const element = target as Element;
    reached.push(element);
    const fault = globalThis.focusFault(element);
    if (fault !== null) problems.push(`${fault}: ${describe(element)}`);
  });
  globalThis.focusFault = findFault;
  globalThis.focusCount = () => reached.length;
  globalThis.focusProblems = () => {
    const index = reached.length > expected.length
      ? expected.length
      : expected.findIndex((element, index) => reached[index] !== element);
    if (index >= 0) {
      const [previous, is, should] = [expected[index - 1], reached[index], expected[index]].map(describe);
      problems.push(`after ${previous}: ${is}, not ${should}`);
    }
    return [...new Set(problems)];
  };
  return expected.length;

  function findFault(element: Element): string | null {
    const shown = outlined(element);
    if (shown === null) return "does not show the focus";
    const { outlineWidth, outlineOffset } = getComputedStyle(shown);
    const reach = parseFloat(outlineWidth) + parseFloat(outlineOffset);
    const [rect] = element.getClientRects();
    // A tall field may be partly outside.
    const y = (Math.max(rect.top, 0) + Math.min(rect.bottom, innerHeight)) / 2;
    const x = rect.x + rect.width / 2;
    const onTop = document.elementFromPoint(x, y);
    if (onTop === null) return `is outside the window at ${Math.round(x)}, ${Math.round(y)}`;
    if (!element.contains(onTop) && !onTop.contains(element)) return `is covered by ${describe(onTop)}`;
    return isCutOff(shown, reach) ? "has a focus that is cut off" : null;
  }

  /** The element whose outline shows the focus: a password and its button have one box. */
  function outlined(element: Element): Element | null {
    return [element, element.parentElement!].find((each) => {
      const { outlineStyle, outlineWidth, outlineColor } = getComputedStyle(each);
      return outlineStyle !== "none" && parseFloat(outlineWidth) >= 2 && !/, 0\)|\/ 0\)/.test(outlineColor);
    }) ?? null;
  }

  /** Whether something cuts off the outline on a side. */
  function isCutOff(element: Element, reach: number): boolean {
    const rect = element.getBoundingClientRect();
    const { left, right } = { left: rect.left - reach, right: rect.right + reach };
    if (left < -1 || right > document.documentElement.clientWidth + 1) return true;
    for (let box = element.parentElement!; box !== document.body; box = box.parentElement!) {
      const { overflowX, overflowY } = getComputedStyle(box);
      if (overflowX === "visible") continue;
      const bounds = box.getBoundingClientRect();
      if (left < bounds.left - 1 || right > bounds.right + 1) return true;
      const isScrolling = overflowY === "auto" || overflowY === "scroll";
      if (!isScrolling && (rect.top - reach < bounds.top - 1 || rect.bottom + reach > bounds.bottom + 1)) return true;
    }
    return false;
  }
}

/** Returns the label, text or tag of the focused element. */
export async function focused(page: Page): Promise<string> {
  return await page.evaluate(() => {
    const element = document.activeElement as HTMLInputElement;
    return element.ariaLabel ?? element.labels?.[0]?.textContent ??
      (/^(A|BUTTON|SUMMARY)$/.test(element.tagName) ? element.textContent! : element.localName);
  });
}

/** Presses the Tab key until the focus is on what has this label or text. */
export async function tabTo(page: Page, name: string): Promise<void> {
  for (let presses = 0; presses < 20; presses++) {
    await page.keyboard.press("Tab");
    if (await focused(page) === name) return;
  }
  throw new Error(`Tab does not reach ${name}`);
}
