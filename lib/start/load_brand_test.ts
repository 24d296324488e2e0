import { deepStrictEqual, match, ok, rejects, strictEqual } from "node:assert/strict";
import { ConfigError } from "../config/config.ts";
import { createBrand } from "../brand/brand.ts";
import type { BrandSettings } from "../brand/settings.ts";
import { loadBrand } from "./load_brand.ts";
import { THEME_PROPERTIES, themeProblem } from "../brand/theme_css.ts";

const SVG = '<svg xmlns="http://www.w3.org/2000/svg"/>';

async function load(files: Record<string, string>, settings: Partial<BrandSettings>) {
  const folder = await Deno.makeTempDir();
  try {
    for (const [name, content] of Object.entries(files)) await Deno.writeTextFile(`${folder}/${name}`, content);
    const inFolder = (path?: string) => path && `${folder}/${path}`;
    const { logo, logoDark, css } = settings;
    const named = { logo: inFolder(logo), logoDark: inFolder(logoDark), css: inFolder(css) };
    return await loadBrand(createBrand({ name: "Acme", ...named }));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("the files of a brand get addresses that change with their content", async () => {
  const settings = { logo: "logo.svg", logoDark: "dark.svg", css: "own.css" };
  const files = { "logo.svg": SVG, "dark.svg": `${SVG}\n`, "own.css": ":root { --radius: 0 }" };
  const brand = await load(files, settings);
  match(brand.logo!.light, /^\/brand\/logo\.svg\?v=[0-9a-f]{12}$/);
  match(brand.logo!.dark!, /^\/brand\/logo-dark\.svg\?v=[0-9a-f]{12}$/);
  match(brand.styles!, /^\/brand\/brand\.css\?v=[0-9a-f]{12}$/);
  deepStrictEqual([...brand.files.keys()].sort(), ["brand.css", "logo-dark.svg", "logo.svg", "maskable.svg"]);
  strictEqual(brand.picture, null, "messages show no SVG");
  const changed = await load({ ...files, "logo.svg": ` ${SVG}` }, settings);
  ok(brand.logo!.light !== changed.logo!.light);
  strictEqual(brand.logo!.dark, changed.logo!.dark);
});

Deno.test("a file that is missing or unsuitable stops the start, with its name and the reason", async () => {
  const cases: [files: Record<string, string>, settings: Partial<BrandSettings>, message: RegExp][] = [
    [{}, { logo: "logo.png" }, /^- BRAND_LOGO: \S+\/logo\.png does not exist\. Example: BRAND_LOGO=/m],
    [{ "logo.png": SVG }, { logo: "logo.png" }, /^- BRAND_LOGO: \S+ is not a PNG, as its name says/m],
    [{ "logo.svg": "PNG" }, { logo: "logo.svg" }, /^- BRAND_LOGO: \S+ is not an SVG, as its name says/m],
    [{ "logo.svg": `${SVG}<script>` }, { logo: "logo.svg" }, /must have no scripts/],
    [{ "logo.svg": SVG + " ".repeat(262_144) }, { logo: "logo.svg" }, /must have at most 256 KiB/],
    [{ "a.css": "body{}" }, { css: "a.css" }, /^- BRAND_CSS: \S+ may only have rules for :root/m],
  ];
  for (const [files, settings, message] of cases) {
    await rejects(load(files, settings), (error) => error instanceof ConfigError && message.test(error.message));
  }
});

Deno.test("the style sheet of an operator sets our custom properties, and nothing else", () => {
  const good = [
    "",
    "/* Round */ :root { --radius: 1rem; --shadow: 0 1px 2px rgb(0 0 0 / 0.1) }",
    ":root{--accent:light-dark(#111,#eee)} @media (prefers-color-scheme: dark) { :root { --surface: #000; } }",
    "@media print { :root { --text: #000 } :root { --line: #000 } } :root { --radius: 0 }",
  ];
  for (const css of good) strictEqual(themeProblem(css), null, css);
  const bad: [css: string, problem: RegExp][] = [
    ["a { --radius: 0 }", /may only have rules for :root/],
    [":root { color: red }", /may only set custom properties/],
    [":root { --raduis: 0 }", /sets --raduis, which is not a property/],
    [":root { --surface: url(https://evil.example/x) }", /to something that loads or escapes/],
    [":root { --surface: u\\72l(x) }", /to something that loads or escapes/],
    [":root { --surface: image-set('x' 1x) }", /to something that loads or escapes/],
    [":root { --radius: 0</style><script> }", /to something that loads or escapes/],
    [":root { --radius: 0; } </style><script>", /may only have rules/],
    ["@import 'x.css';", /may only have rules/],
    ["@media print { a { --radius: 0 } }", /may only have rules/],
    [":root { --radius: 0", /may only have rules/],
  ];
  for (const [css, problem] of bad) match(themeProblem(css) ?? "none", problem, css);
});

Deno.test("an operator can set every custom property of the style sheet", async () => {
  const css = await Deno.readTextFile(new URL("../../static/styles.css", import.meta.url));
  const [root] = css.match(/:root \{[^}]*\}/)!;
  const names = [...root.matchAll(/^ {2}--([\w-]+):/gm)].map(([, name]) => name);
  deepStrictEqual([...THEME_PROPERTIES].sort(), names.sort());
});

Deno.test("without a logo, the first letter of the name stands for it", () => {
  const { files, icons, logo } = createBrand({ name: "é & <co>", color: "#e6a700" });
  const tile = new TextDecoder().decode(files.get("tile.svg")!.content);
  match(tile, /fill="#e6a700"\/>.*fill="#000000">É<\/text>/);
  deepStrictEqual(icons!.map(({ purpose }) => purpose), [undefined, "maskable"]);
  match(logo!.light, /^\/brand\/tile\.svg\?v=/);
  match(icons![0].src, /^\/brand\/icon\.svg\?v=/);
  match(new TextDecoder().decode(createBrand({ name: "<b>" }).files.get("tile.svg")!.content), />&lt;<\/text>/);
  deepStrictEqual(createBrand({ name: "Foyer" }).icons, null, "ours is in static/");
});
