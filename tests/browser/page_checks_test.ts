import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { axeFindingsAtAllSizes } from "../support/browser/axe.ts";
import { type Page, sharedBrowser, withPage } from "../support/browser/browser.ts";
import { misfits } from "../support/browser/fit.ts";
import { forcedColorsProblems } from "../support/browser/forced_colors.ts";
import { keyboardProblems } from "../support/browser/keyboard.ts";
import { movedElements, openSlowly } from "../support/browser/shifts.ts";

const browser = await sharedBrowser();
Deno.test.afterAll(() => browser.close());
const STYLES = `
  body { margin: 0; background: #fff; color: #222; font: 1rem/1.5 sans-serif }
  main { padding: 1rem; overflow-wrap: anywhere }
  a, button { padding: .5rem }
  button { border: 1px solid transparent; background: #147; color: #fff }
  :focus-visible { outline: 3px solid #147; outline-offset: 2px }`;

/** Opens a page without faults, but for this content. */
async function open(page: Page, content: string, styles = ""): Promise<void> {
  await page.setContent(`<!DOCTYPE html><html lang="en"><head><title>Page</title>
    <meta name="viewport" content="width=device-width, initial-scale=1"><style>${STYLES}${styles}</style></head>
    <body><main id="main" tabindex="-1"><h1>Page</h1><p><a href="/a">One</a> <a href="/b">Two</a></p>${content}</main></body>`);
}

Deno.test("the checks of pages find nothing on a page without faults", async () => {
  await withPage(browser, async (page) => {
    await open(page, "<p>Text</p><button>Go</button>");
    deepStrictEqual(await axeFindingsAtAllSizes(page), []);
    deepStrictEqual(await misfits(page), []);
    deepStrictEqual(await keyboardProblems(page), []);
    deepStrictEqual(await forcedColorsProblems(page), []);
  });
});

const LONG = "W".repeat(60);
const MISFITS: [problem: RegExp, content: string, styles?: string][] = [
  [/^320 px wide: scrolls sideways/, '<div style="inline-size: 400px">x</div>'],
  [/^320 px wide: outside the window/, `<p style="overflow-wrap: normal">${LONG}</p>`],
  [
    /^320 px wide, with text at 200%: sticks out of <p/,
    `<p style="inline-size: 130px; white-space: nowrap">nine letters</p>`,
  ],
  [
    /is cut off: <p/,
    '<p style="inline-size: 9rem; overflow: hidden; white-space: nowrap">more than nine letters long</p>',
  ],
  [
    /with spaced text: is cut off: <p/,
    '<p style="inline-size: 15rem; block-size: 1.6rem; overflow: hidden">Text that has a single line only</p>',
  ],
  [
    /with spaced text: sticks out of <button/,
    '<p><button style="inline-size: 9rem; block-size: 2.6rem">Not a long text</button></p>',
  ],
  [/is too narrow for its content/, '<div style="overflow: auto"><p style="inline-size: 2000px">x</p></div>'],
  [
    /overlap: <button.*Go.*<button.*Stop/,
    '<button>Go</button><button style="margin-inline-start: -2rem">Stop</button>',
  ],
  [/overlap: .*<p.*Text/, '<p>Text</p><button style="position: relative; inset-block-start: -2.5rem">Go</button>'],
];

for (const [problem, content, styles] of MISFITS) {
  Deno.test(`the check of the space finds: ${problem.source}`, async () => {
    await withPage(browser, async (page) => {
      await open(page, content, styles);
      match((await misfits(page)).join("\n"), new RegExp(problem.source, "m"));
    });
  });
}

const KEYBOARD: [problem: RegExp, content: string, styles?: string][] = [
  [/changes the order/, '<button tabindex="1">Go</button>'],
  [
    /^after <button id="trap">: nothing, not <button id="next">/,
    '<button id="trap">Go</button><button id="next">Stop</button>',
  ],
  [/^after <a href="\/b">: <a href="\/b">, not <button id="guard">/, '<button id="guard">Go</button>'],
  [/does not show the focus: <button/, "<button>Go</button>", "button:focus-visible { outline: none }"],
  [/does not show the focus: <a/, "", "a { outline-color: transparent !important }"],
  [/is covered by <div/, '<button>Go</button><div style="position: fixed; inset: 0; background: #fff"></div>'],
  [/is outside the window/, '<button style="position: fixed; left: -500px">Go</button>'],
  [/has a focus that is cut off/, '<div style="overflow: hidden"><button style="inline-size: 100%">Go</button></div>'],
];

for (const [problem, content, styles] of KEYBOARD) {
  Deno.test(`the check of the keyboard finds: ${problem.source}`, async () => {
    await withPage(browser, async (page) => {
      await open(page, content, styles);
      await page.evaluate(() => {
        const trap = document.querySelector<HTMLElement>("#trap");
        trap?.addEventListener("keydown", (event) => event.preventDefault());
        const guard = document.querySelector<HTMLElement>("#guard");
        guard?.addEventListener("focus", () => document.querySelectorAll("a")[1].focus());
      });
      match((await keyboardProblems(page)).join("\n"), new RegExp(problem.source, "m"));
    });
  });
}

Deno.test("the check of the keyboard passes through the links inside frames", async () => {
  const frame = `<iframe title="Email" sandbox srcdoc="${"<a href=/c>Link</a>".repeat(3)}"></iframe>`;
  await withPage(browser, async (page) => {
    await open(page, `${frame}<button>Go</button>${frame}<button>Stop</button>`);
    deepStrictEqual(await keyboardProblems(page), []);
    await open(page, `${frame}<button tabindex="1">Go</button>${frame}<button>Stop</button>`);
    match((await keyboardProblems(page)).join("\n"), /changes the order/);
  });
});

Deno.test("the check of forced colors finds controls without an edge or focus", async () => {
  await withPage(browser, async (page) => {
    await open(
      page,
      '<button class="a">Go</button><button class="b">Stop</button>',
      ".a { border: 0 } .b { outline: none }",
    );
    const [edge, focus, ...others] = await forcedColorsProblems(page);
    match(edge, /has no edge: <button class="a">/);
    match(focus, /does not show the focus: <button class="b">/);
    deepStrictEqual(others, []);
  });
});

Deno.test("axe looks at all sizes and both schemes, and at the size of targets", async () => {
  await withPage(browser, async (page) => {
    const styles = `
      @media (width < 500px) { .narrow { color: #ddd } }
      @media (prefers-color-scheme: dark) { .dark { color: #eee } }
      .close { display: flex }
      @media (width < 700px) { .close a { padding: 0; line-height: 1 } }`;
    await open(
      page,
      '<p class="narrow">Text</p><p class="dark">Text</p><div class="close"><a href="/c">c</a><a href="/d">d</a></div>',
      styles,
    );
    const findings = (await axeFindingsAtAllSizes(page)).map((finding) => finding.split(">")[0]);
    const dark = [1280, 640, 320].map((width) => `${width} px, dark: color-contrast: <p class="dark"`);
    for (
      const finding of [
        '320 px, light: color-contrast: <p class="narrow"',
        dark[0],
        '640 px, light: target-size: <a href="/c"',
      ]
    ) {
      strictEqual(findings.includes(finding), true, `${finding} is not among ${findings.join("\n")}`);
    }
  });
});

Deno.test("a look that has passed on one page is not checked on the next, and one that has failed is", async () => {
  await withPage(browser, async (page) => {
    const passed = new Set<string>();
    for (const _ of ["one page", "the next"]) {
      await open(page, '<p class="pale">Text</p>', ".pale { color: #ddd }");
      match((await axeFindingsAtAllSizes(page, passed)).join("\n"), /^1280 px, light: color-contrast: <p class="pale"/);
    }
    const size = passed.size;
    await open(page, '<p style="color: #333">Text</p>');
    deepStrictEqual(await axeFindingsAtAllSizes(page, passed), []);
    strictEqual(passed.size, size + 1);
  });
});

Deno.test("the check of movements finds what scripts move, and not what people move", async () => {
  await withPage(browser, async (page) => {
    const files: Record<string, string> = {
      "/":
        `<!DOCTYPE html><title>Page</title><main><p id="first">First</p><button>Go</button></main><footer>End</footer>
        <script defer src="/moves.js"></script>`,
      "/moves.js": 'document.querySelector("#first").style.height = "200px"',
      "/still": `<!DOCTYPE html><title>Page</title><main><p>First</p><button>Go</button></main><footer>End</footer>
        <script defer src="/still.js"></script>`,
      "/still.js":
        'document.querySelector("button").onclick = ({ target }) => target.before("More", document.createElement("hr"))',
    };
    await page.context().route("http://site.test/**", (route) => {
      const { pathname } = new URL(route.request().url());
      return route.fulfill({
        body: files[pathname],
        contentType: pathname.endsWith(".js") ? "text/javascript" : "text/html",
      });
    });
    await openSlowly(page, "http://site.test/");
    match((await movedElements(page)).join(), /<button>Go/);
    await openSlowly(page, "http://site.test/still");
    await page.getByRole("button").click();
    deepStrictEqual(await movedElements(page), []);
  });
});
