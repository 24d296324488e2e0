import type { Page } from "./browser.ts";

/** The ways in which people see pages larger, and so in less space. */
type View = {
  width: number;
  /** The size of all text, in percent. */
  text?: number;
  /** Whether lines, words and letters are as far apart as WCAG 2.2, 1.4.12 requires pages to bear. */
  isSpaced?: boolean;
};

/**
 * On a desktop, text at 200% looks like a zoom of 200%: all sizes follow the size of text, and so do the widths at
 * which the layout changes.
 */
const VIEWS: Record<string, View> = {
  "320 px wide": { width: 320 },
  "320 px wide, with text at 200%": { width: 320, text: 200 },
  "320 px wide, with spaced text": { width: 320, isSpaced: true },
  "zoomed to 200%": { width: 640 },
  "zoomed to 200%, with spaced text": { width: 640, isSpaced: true },
  "1280 px wide, with spaced text": { width: 1280, isSpaced: true },
};

/** Lists the texts and controls that do not fit in each of the views. Leaves the page in the last of them. */
export async function misfits(page: Page): Promise<string[]> {
  const problems: string[] = [];
  for (const [name, view] of Object.entries(VIEWS)) {
    await setView(page, view);
    problems.push(...(await misfitsNow(page)).map((problem) => `${name}: ${problem}`));
  }
  await setView(page, { width: 1280 });
  return problems;
}

/** Lists the texts and controls that do not fit at the present size of the window. */
export async function misfitsNow(page: Page): Promise<string[]> {
  return (await page.evaluate(findMisfits)).slice(0, 10);
}

async function setView(page: Page, { width, text = 100, isSpaced = false }: View): Promise<void> {
  await page.setViewportSize({ width, height: 800 });
  await page.evaluate(({ text, isSpaced }) => {
    document.documentElement.style.fontSize = text === 100 ? "" : `${text}%`;
    const sheet = new CSSStyleSheet();
    if (isSpaced) {
      sheet.replaceSync(`
        * { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important }
        p { margin-block-end: 2em !important }`);
    }
    document.adoptedStyleSheets = [sheet];
  }, { text, isSpaced });
}

/** Runs in the page. */
function findMisfits(): string[] {
  const problems = new Set<string>();
  const root = document.documentElement;
  const { clientWidth } = root;
  const CONTROLS = "a[href], button, input:not([type=hidden]), select, textarea, summary";
  /**
   * Cut off by design: the web address of a profile ends with an ellipsis, and the name beside the logo wraps below it.
   */
  const MAY_BE_CUT = ".website, .brand";
  interface Box {
    element: Element;
    control: Element | null;
    layer: Element | null;
    rect: DOMRect;
  }
  const boxes: Box[] = [];

  const isVisible = (element: Element) =>
    element.checkVisibility({ visibilityProperty: true, opacityProperty: true }) &&
    element.closest(".visually-hidden, .skip-link, option") === null;
  const describe = (element: Element, text = element.textContent!) =>
    `<${element.tagName.toLowerCase()} class="${element.className}">${text.trim().slice(0, 40)}`;
  const sides = ({ left, right, top, bottom }: DOMRect) => [left, top, right, bottom].map(Math.round).join(" ");
  const add = (element: Element, rect: DOMRect) => {
    if (rect.width < 1 || rect.height < 1) return false;
    const layer = element.closest("[popover]");
    boxes.push({ element, control: element.closest(CONTROLS), layer, rect });
    if (rect.left < -1 || rect.right > clientWidth + 1) {
      problems.add(`outside the window: ${describe(element)} ${sides(rect)}`);
    }
    return true;
  };

  if (root.scrollWidth > clientWidth) problems.add(`scrolls sideways: ${root.scrollWidth} px`);

  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode(); node; node = texts.nextNode()) {
    const parent = node.parentElement!;
    if (node.nodeValue!.trim() === "" || !isVisible(parent) || parent.closest(MAY_BE_CUT)) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const rect of range.getClientRects()) {
      if (add(parent, rect)) checkBounds(parent, node.nodeValue!, rect);
    }
  }
  for (const control of document.querySelectorAll(CONTROLS)) {
    if (isVisible(control)) { for (const rect of control.getClientRects()) add(control, rect); }
  }
  checkOverlaps();
  return [...problems];

  /** A text must be inside its block and its control, and must not be cut off by what is around it. */
  function checkBounds(parent: Element, text: string, rect: DOMRect): void {
    let [isInBlock, isTakenOut] = [false, false];
    const { fontSize, whiteSpaceCollapse } = getComputedStyle(parent);
    // Where spaces are kept, those at the end of a line hang out of the block.
    const hanging = whiteSpaceCollapse === "preserve" ? 2 * parseFloat(fontSize) : 1;
    for (let element: Element | null = parent; element && element !== document.body; element = element.parentElement) {
      const style = getComputedStyle(element);
      if (style.display === "contents" || style.display === "inline") continue;
      if (isTakenOut && style.position === "static" && style.containerType === "normal") continue;
      const box = element.getBoundingClientRect();
      const outX = rect.left < box.left - hanging || rect.right > box.right + hanging;
      // A line may be less tall than its letters.
      const outY = rect.top < box.top - 4 || rect.bottom > box.bottom + 4;
      const isBound = !isInBlock || (element.matches(CONTROLS) && style.display !== "inline");
      if (isBound && (outX || outY)) {
        problems.add(`sticks out of ${describe(element, "")}: ${describe(parent, text)} ${sides(rect)}, ${sides(box)}`);
      }
      isInBlock = true;
      const [x, y] = [style.overflowX, style.overflowY];
      if (x !== "visible" && element.scrollWidth > element.clientWidth + 1) {
        problems.add(`is too narrow for its content: ${describe(element)}`);
      }
      const isCut = (x !== "visible" && outX) || (/hidden|clip/.test(y) && outY);
      if (isCut) problems.add(`is cut off: ${describe(parent, text)} ${sides(rect)}`);
      if (style.position === "fixed") break;
      isTakenOut = style.position === "absolute"; // only what it is placed in can cut it off
    }
  }

  /** No text or control may be on top of another. */
  function checkOverlaps(): void {
    boxes.sort((a, b) => a.rect.top - b.rect.top);
    for (const [index, a] of boxes.entries()) {
      for (let next = index + 1; next < boxes.length && boxes[next].rect.top < a.rect.bottom - 2; next++) {
        const b = boxes[next];
        if (a.layer !== b.layer || isSameControl(a, b)) continue;
        const width = Math.min(a.rect.right, b.rect.right) - Math.max(a.rect.left, b.rect.left);
        const height = Math.min(a.rect.bottom, b.rect.bottom) - b.rect.top;
        // The letters of two lines may be closer than their boxes. The edges of two buttons may not.
        const share = [a, b].every(({ element }) => element.matches(".button, button")) ? 0 : 0.3;
        if (width > 2 && height > 2 && height > share * Math.min(a.rect.height, b.rect.height)) {
          problems.add(`overlap: ${describe(a.element)} ${sides(a.rect)}, ${describe(b.element)} ${sides(b.rect)}`);
        }
      }
    }
  }

  function isSameControl(a: Box, b: Box): boolean {
    const isText = ({ element, control }: Box) => element !== control;
    if (a.control !== null && a.control === b.control) return true;
    // The text of a link that wraps is one element with several boxes.
    return a.element === b.element && isText(a) === isText(b);
  }
}
