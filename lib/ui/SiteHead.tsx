import { asset } from "fresh/runtime";
import type { Brand } from "../brand/brand.ts";
import { SURFACES } from "../brand/surfaces.ts";

/** The colors behind the header, which browsers give to their own bars. */
export const THEME_COLORS = SURFACES.surface;

interface SiteHeadProps {
  brand: Brand;
  /**
   * The public origin, on pages that a link in a message may lead to: messages show a picture and the product's name.
   */
  previewOrigin: string | null;
}

/** The encoding, style sheets, icons and colors of every page. */
export function SiteHead({ brand, previewOrigin }: SiteHeadProps) {
  const picture = brand.icons === null ? asset("/icon-512.png") : brand.picture;
  return (
    <>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      <meta name="theme-color" media="(prefers-color-scheme: light)" content={THEME_COLORS.light} />
      <meta name="theme-color" media="(prefers-color-scheme: dark)" content={THEME_COLORS.dark} />
      {previewOrigin !== null && <meta property="og:site_name" content={brand.name} />}
      {previewOrigin !== null && picture !== null && (
        <meta property="og:image" content={new URL(picture, previewOrigin).href} />
      )}
      <Icons {...brand} />
      <link rel="manifest" href="/site.webmanifest" />
      <link rel="stylesheet" href={asset("/site.css")} />
      {brand.styles !== null && <link rel="stylesheet" href={brand.styles} />}
    </>
  );
}

/** Phones show no SVG. Without a picture, they make an icon themselves. */
function Icons({ icons, logo, picture }: Pick<Brand, "icons" | "logo" | "picture">) {
  if (icons === null || logo === null) {
    return (
      <>
        <link rel="icon" href={asset("/favicon.ico")} sizes="32x32" />
        <link rel="icon" href={asset("/mark.svg")} type="image/svg+xml" />
        <link rel="apple-touch-icon" href={asset("/apple-touch-icon.png")} />
      </>
    );
  }
  return (
    <>
      <link rel="icon" href={logo.light} type={icons[0].type} />
      {logo.dark !== undefined && <link rel="icon" media="(prefers-color-scheme: dark)" href={logo.dark} />}
      {picture !== null && <link rel="apple-touch-icon" href={picture} />}
    </>
  );
}
