import { COMMAND } from "../config/command_name.ts";
import { InvalidSettings } from "../config/config.ts";
import { exampleOf } from "../config/examples.ts";
import { type Brand, createBrand } from "../brand/brand.ts";
import type { BrandSettings } from "../brand/settings.ts";
import { isAddress, typeOf } from "../brand/icons.ts";
import { themeProblem } from "../brand/theme_css.ts";

const KIBIBYTE = 1024;
const LOGO_MAX_BYTES = 256 * KIBIBYTE;
const CSS_MAX_BYTES = 32 * KIBIBYTE;
const PNG_SIGNATURE = "89504e470d0a1a0a";

/** A file that a setting names. */
interface Named {
  variable: "BRAND_LOGO" | "BRAND_LOGO_DARK" | "BRAND_CSS";
  path: string;
  problemOf(content: Uint8Array): string | null;
}

/**
 * Reads the files of the brand, if its settings name any.
 *
 * @throws {InvalidSettings} when one is missing or unsuitable.
 */
export async function loadBrand(brand: Brand): Promise<Brand> {
  const { settings } = brand;
  const files = namedFiles(settings);
  if (files.length === 0) return brand;
  const read = await Promise.all(files.map(async (file) => ({ ...file, ...await readNamed(file) })));
  const problems = read.filter(({ problem }) => problem !== null);
  if (problems.length > 0) {
    const lines = problems.map(({ variable, problem }) => `- ${variable}: ${problem}. Example: ${exampleOf(variable)}`);
    throw new InvalidSettings(lines);
  }
  const contentOf = (variable: Named["variable"]) => read.find((file) => file.variable === variable)?.content;
  const css = contentOf("BRAND_CSS");
  return createBrand(settings, {
    logo: contentOf("BRAND_LOGO"),
    logoDark: contentOf("BRAND_LOGO_DARK"),
    css: css && new TextDecoder().decode(css),
  });
}

function namedFiles({ logo, logoDark, css }: BrandSettings): Named[] {
  const logos = [["BRAND_LOGO", logo], ["BRAND_LOGO_DARK", logoDark]] as const;
  return [
    ...logos.flatMap(([variable, path]) =>
      path === undefined || isAddress(path)
        ? []
        : [{ variable, path, problemOf: (content: Uint8Array) => logoProblem(content, typeOf(path)!) }]
    ),
    ...css === undefined ? [] : [{ variable: "BRAND_CSS" as const, path: css, problemOf: cssProblem }],
  ];
}

async function readNamed(
  { path, problemOf }: Named,
): Promise<{ problem: string | null; content?: Uint8Array<ArrayBuffer> }> {
  try {
    const content = await Deno.readFile(path);
    const problem = problemOf(content);
    return { problem: problem && `${path} ${problem}`, content };
  } catch (error) {
    const reason = error instanceof Deno.errors.NotFound
      ? "does not exist"
      : error instanceof Deno.errors.NotCapable
      ? `is outside the folders that the service may read: start it with ${COMMAND} start, or move the file into its folder`
      : "cannot be read";
    return { problem: `${path} ${reason}` };
  }
}

function logoProblem(content: Uint8Array, type: string): string | null {
  if (content.length > LOGO_MAX_BYTES) return `must have at most ${LOGO_MAX_BYTES / KIBIBYTE} KiB`;
  if (type === "image/png") {
    return content.subarray(0, 8).toHex() === PNG_SIGNATURE ? null : "is not a PNG, as its name says";
  }
  const text = new TextDecoder().decode(content);
  if (!/<svg[\s>]/.test(text)) return "is not an SVG, as its name says";
  return /<script|\son\w+=/i.test(text) ? "must have no scripts" : null;
}

function cssProblem(content: Uint8Array): string | null {
  if (content.length > CSS_MAX_BYTES) return `must have at most ${CSS_MAX_BYTES / KIBIBYTE} KiB`;
  return themeProblem(new TextDecoder().decode(content));
}
