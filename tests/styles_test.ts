import { deepStrictEqual, match, ok } from "node:assert/strict";
import { gzipSync } from "node:zlib";
import { build, stop } from "esbuild";

interface Declaration {
  selector: string;
  property: string;
  value: string;
}

const ROOT = new URL("../", import.meta.url);
/** Properties that take their lengths only from the scales at the top of styles.css. */
const SCALED =
  /^(font|font-size|(margin|padding|inset|scroll-padding)(-(block|inline)(-(start|end))?)?|(row-|column-)?gap)$/;
const LENGTH = /(?<![\w-])[\d.]+(rem|em|px|pt|ch|v[\w]+)\b/;
const COLOR = /#[\da-f]{3,8}\b|\b(rgba?|hsla?|hwb|lab|oklab|lch|oklch|color)\(/i;
/** The names of colors that people write most. */
const COLOR_NAME =
  /(?<![\w-])(black|blue|gr[ae]y|green|maroon|navy|olive|orange|pink|purple|red|silver|teal|white|yellow)(?![\w-])/i;
/** Properties that do not follow the text direction. Their logical counterparts (start, end) do. */
const PHYSICAL =
  /^(width|height|(min|max)-(width|height)|top|right|bottom|left|(margin|padding|border)-(top|right|bottom|left).*|float|clear)$/;

const css = await readAll("static", /\.css$/);
const declarations = parseDeclarations(css);
const components = await Promise.all(
  ["routes", "islands", "lib/browser", "lib/ui"].map((folder) => readAll(folder, /\.tsx$/)),
);
const classAttributes = components.flatMap((source) =>
  [...source.matchAll(/\b(?:class=|classList\.\w+\()("[^"]*"|\{[^}]*\})/g)].map(([, value]) => value)
);
const used = usedClasses(classAttributes);
const styled = new Set([...css.replaceAll(/\{[^{}]*\}/g, "{}").matchAll(/\.([a-z][\w-]*)/g)].map(([, name]) => name));

Deno.test("every class in the style sheets is used by a component", () => {
  ok(styled.size > 20, `found only ${styled.size} classes`);
  deepStrictEqual([...styled].filter((name) => !used.has(name)).sort(), []);
});

Deno.test("every class that a component uses has a style", () => {
  ok(used.size > 20, `found only ${used.size} classes`);
  deepStrictEqual([...used].filter((name) => !styled.has(name)).sort(), []);
});

Deno.test("class names are written in full, so that a search finds them", () => {
  deepStrictEqual(classAttributes.filter((value) => value.includes("`")), []);
});

/**
 * An attribute of SVG, a property of Preact, and a property of forms, which browsers also know as an attribute: in an
 * island, Preact would give the attribute `novalidate` the value "true".
 */
const OTHER_CASE = ["viewBox", "dangerouslySetInnerHTML", "noValidate"];

Deno.test("elements have attributes by their HTML names, which static elements need", () => {
  const attributes = elementAttributes(components.join("\n"));
  ok(attributes.length > 200, `found only ${attributes.length} attributes`);
  const wrong = /^(classname|htmlfor|httpequiv|acceptcharset|default(checked|value|selected|muted))$/;
  const isWrong = (name: string) =>
    /[A-Z]/.test(name) && !/^on[A-Z]/.test(name) && !OTHER_CASE.includes(name) || wrong.test(name);
  deepStrictEqual(attributes.filter(isWrong), []);
  const example = '<p a={x > 1 && { b: 1 }} defaultChecked\n c="d=e">d=1</p><Page tabIndex={1} />';
  deepStrictEqual(elementAttributes(example), ["a", "defaultChecked", "c"]);
});

/** Returns the names of the attributes in all tags of elements, but not of components. */
function elementAttributes(source: string): string[] {
  const value = String.raw`"[^"]*"|\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}`;
  const tags = source.matchAll(
    new RegExp(String.raw`<(?!typeof\b)[a-z][\w-]*((?:\s+(?:[\w-]+(?:=(?:${value}))?|${value}))*)\s*/?>`, "g"),
  );
  return [...tags].flatMap(([, attributes]) =>
    attributes.replaceAll(new RegExp(value, "g"), "").match(/[\w-]+/g) ?? []
  );
}

Deno.test("font sizes and spacing come from the scales", () => {
  assertNone(({ property, value }) => SCALED.test(property) && LENGTH.test(value));
});

Deno.test("colors come from the palette", () => {
  assertNone(({ value }) => COLOR.test(value) || COLOR_NAME.test(value));
});

Deno.test("the layout follows the text direction", () => {
  const isPhysical = ({ property, value }: Declaration) =>
    PHYSICAL.test(property) || /^(left|right)$/.test(value) ||
    /^(margin|padding|inset)$/.test(property) && isLopsided(value);
  assertNone(isPhysical);
});

/** Whether four lengths, such as those of a padding, differ between left and right. */
function isLopsided(value: string): boolean {
  const parts = value.match(/(?:[^\s()]|\((?:[^()]|\([^()]*\))*\))+/g) ?? [];
  return parts.length === 4 && parts.every((part) => /^(\d|calc|var)/.test(part)) && parts[1] !== parts[3];
}

Deno.test("every custom property is used", () => {
  const names = [...css.matchAll(/^\s*(--[\w-]+):/gm)].map(([, name]) => name);
  deepStrictEqual([...new Set(names)].filter((name) => !css.includes(`var(${name})`)), []);
});

/** Fails with the declarations that break a rule. Definitions of custom properties are exempt. */
function assertNone(isWrong: (declaration: Declaration) => boolean): void {
  ok(declarations.length > 100, `found only ${declarations.length} declarations`);
  const wrong = declarations.filter((declaration) => !declaration.property.startsWith("--") && isWrong(declaration));
  deepStrictEqual(wrong.map(({ selector, property, value }) => `${selector} { ${property}: ${value} }`), []);
}

function parseDeclarations(source: string): Declaration[] {
  return [...source.matchAll(/([^{};]+)\{([^{}]*)\}/g)].flatMap(([, selector, body]) =>
    body.split(";").filter((line) => line.includes(":")).map((line) => {
      const [property, ...value] = line.split(":");
      return { selector: oneLine(selector), property: property.trim(), value: oneLine(value.join(":")) };
    })
  );
}

/** Returns the class names in `class` attributes: in plain strings and in the strings of an expression. */
function usedClasses(attributes: string[]): Set<string> {
  const strings = attributes.flatMap((value) =>
    [...value.matchAll(/(?<!=\s)["`]([^"`]*)["`]/g)].map(([, text]) => text)
  );
  return new Set(strings.flatMap((text) => text.split(/\s+/)).filter((name) => /^[\w-]+$/.test(name)));
}

/** Returns the text of all files below a folder whose names match, without CSS comments and imports. */
async function readAll(folder: string, name: RegExp): Promise<string> {
  let text = "";
  for await (const entry of Deno.readDir(new URL(folder, ROOT))) {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory) text += await readAll(path, name);
    else if (name.test(entry.name)) text += await Deno.readTextFile(new URL(path, ROOT));
  }
  return text.replaceAll(/\/\*[^]*?\*\/|^@import .*/gm, "");
}

function oneLine(text: string): string {
  return text.trim().replaceAll(/\s+/g, " ");
}

Deno.test("style sheets import others in the form to which Fresh adds the build id, so that browsers cache them", async () => {
  const sheets = [...Deno.readDirSync(new URL("static/", ROOT))].filter(({ name }) => name.endsWith(".css"));
  for (const { name } of sheets) {
    const text = await Deno.readTextFile(new URL(`static/${name}`, ROOT));
    for (const [rule] of text.matchAll(/^@import .*$/gm)) match(rule, /^@import url\("\/[\w-]+\.css"\);$/, name);
  }
});

/** The styles of every page. */
const SITE_MAX_BYTES = 6500;
/** With those that only some pages load. Before pages had a door, the largest was this without the second number. */
const PAGE_MAX_BYTES = 5778 + 1200;

/** What admins may load besides the styles of every page. */
const ADMIN_MAX_BYTES = 1200;

Deno.test("all pages share at most 6.5 kB of styles, and no page loads more than 7 kB", async () => {
  const site = await sizeOf("site.css");
  ok(site > 3000, `${site} bytes: without its imports?`);
  ok(site <= SITE_MAX_BYTES, `site.css: ${site} bytes`);
  for (const name of ["docs.css", "home.css", "second_factor.css", "uploads.css"]) {
    const size = site + await sizeOf(name);
    ok(size <= PAGE_MAX_BYTES, `${name}: ${size} bytes`);
  }
  const admin = await sizeOf("admin.css");
  ok(admin <= ADMIN_MAX_BYTES, `admin.css: ${admin} bytes`);
  await stop();
});

/** Returns the size of a style sheet with its imports, minified and compressed as the build does it. */
async function sizeOf(name: string): Promise<number> {
  const folder = new URL("static/", ROOT);
  const source = (await Deno.readTextFile(new URL(name, folder))).replaceAll('@import url("/', '@import url("./');
  const stdin = { contents: source, resolveDir: folder.pathname, loader: "css" } as const;
  const { outputFiles: [{ contents }] } = await build({ stdin, bundle: true, minify: true, write: false });
  return gzipSync(contents, { level: 9 }).length;
}
