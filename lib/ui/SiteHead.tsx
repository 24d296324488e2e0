import { asset } from "fresh/runtime";

/** The colors behind the header, which browsers give to their own bars. They equal --surface in styles.css. */
export const THEME_COLORS = { light: "#ffffff", dark: "#23211d" };

/** The encoding, style sheets, icons and colors of every page. */
export function SiteHead() {
  return (
    <>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      <meta name="theme-color" media="(prefers-color-scheme: light)" content={THEME_COLORS.light} />
      <meta name="theme-color" media="(prefers-color-scheme: dark)" content={THEME_COLORS.dark} />
      <link rel="icon" href={asset("/favicon.ico")} sizes="32x32" />
      <link rel="icon" href={asset("/mark.svg")} type="image/svg+xml" />
      <link rel="apple-touch-icon" href={asset("/apple-touch-icon.png")} />
      <link rel="manifest" href="/site.webmanifest" />
      <link rel="stylesheet" href={asset("/styles.css")} />
      <link rel="stylesheet" href={asset("/cards.css")} />
      <link rel="stylesheet" href={asset("/forms.css")} />
    </>
  );
}
