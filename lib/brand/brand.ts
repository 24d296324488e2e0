import { brandIcons, type Icon } from "./icons.ts";
import type { BrandSettings, NamedFiles } from "./settings.ts";
import { type Palette, paletteCss, paletteOf } from "./palette.ts";
import { createHash } from "node:crypto";

/** The product's name without APP_NAME. */
export const DEFAULT_NAME = "Foyer";
/** The product's color without BRAND_COLOR: the one of static/mark.svg. */
const DEFAULT_COLOR = "#1f6355";

/** Takes the door from our style sheet, and its headings. */
const PLAIN_CSS = ":root{--arch:0rem;--serif:inherit}";

/** A file that the service serves below /brand/. */
export interface BrandFile {
  contentType: string;
  content: Uint8Array<ArrayBuffer>;
  /** Changes with the content. It is the query of the file's address, so that browsers can keep the file. */
  version: string;
}

/** What pages, emails and icons show of the operator's product. */
export interface Brand {
  settings: BrandSettings;
  name: string;
  /** Differs between brands: identifies markup that has been rendered with this one. */
  id: string;
  palette: Palette;
  homeUrl: string;
  /** The first letter of the name, for icons without a logo. */
  letter: string;
  /** The logo of a page in each mode, or null for the one that comes with the service. */
  logo: { light: string; dark?: string } | null;
  /** The icons of tabs, home screens and the manifest, or null for those that come with the service. */
  icons: Icon[] | null;
  /** The logo as a PNG, for emails, phones and links in messages, which do not show SVG; null if there is none. */
  picture: string | null;
  /** The address of the style sheet that changes ours, or null if none is needed. */
  styles: string | null;
  /** The files below /brand/, by name. */
  files: ReadonlyMap<string, BrandFile>;
}

/** Creates the brand from the settings, and from the files that they name. */
export function createBrand(settings: BrandSettings, named: NamedFiles = {}): Brand {
  const { name, color, colorDark, logo, homeUrl = "/" } = settings;
  const files = new Map<string, BrandFile>();
  const palette = paletteOf(color ?? DEFAULT_COLOR, colorDark);
  const hasColor = color !== undefined || colorDark !== undefined;
  const letter = firstLetter(name);
  const isOurs = name === DEFAULT_NAME && logo === undefined && color === undefined;
  const images = isOurs ? null : brandIcons({ settings, named, color: color ?? DEFAULT_COLOR, palette, letter }, add);
  const css = [
    ...hasColor ? [`:root{${paletteCss(palette)}}`] : [],
    ...settings.style === "plain" ? [PLAIN_CSS] : [],
    ...named.css === undefined ? [] : [named.css],
  ];
  const styles = css.length === 0 ? null : add("brand.css", "text/css", css.join("\n"));
  const id = fingerprint(
    new TextEncoder().encode(JSON.stringify([settings, [...files.values()].map((it) => it.version)])),
  );
  return {
    settings,
    name,
    id,
    palette,
    homeUrl,
    letter,
    logo: images?.logo ?? null,
    icons: images?.icons ?? null,
    picture: images?.picture ?? null,
    styles,
    files,
  };

  /** Adds a file and returns its address. */
  function add(file: string, contentType: string, source: string | Uint8Array<ArrayBuffer>): string {
    const content = typeof source === "string" ? new TextEncoder().encode(source) : source;
    const version = fingerprint(content);
    files.set(file, { contentType, content, version });
    return `/brand/${file}?v=${version}`;
  }
}

function firstLetter(name: string): string {
  const [first] = new Intl.Segmenter().segment(name);
  return first.segment.toUpperCase();
}

const LENGTH = 12;

/** Returns a short text that differs between different contents. */
export function fingerprint(content: Uint8Array): string {
  return createHash("sha256").update(content).digest("hex").slice(0, LENGTH);
}
