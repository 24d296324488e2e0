import type { Palette } from "../../brand/palette.ts";
import { SURFACES as PAGE_SURFACES } from "../../brand/surfaces.ts";

const FONT = "font-family: -apple-system, 'Segoe UI', Roboto, Helvetica, Arial, sans-serif";

/** The colors of surfaces. Each is also a `bgcolor`, because some mail programs ignore backgrounds in styles. */
export const SURFACES = {
  page: PAGE_SURFACES.background.light,
  card: PAGE_SURFACES.surface.light,
  sunken: PAGE_SURFACES.sunken.light,
};

const [TEXT, SOFT, LINE, DANGER] = ["#26221d", "#655d53", "#e8e1d6", "#b3261e"];

/**
 * The inline styles: what every mail program shows. None needs the style sheet, so each says its font and its color.
 */
export const STYLES = {
  name: `${FONT}; font-size: 16px; line-height: 24px; font-weight: 600; color: ${TEXT}`,
  card: `padding: 32px; border: 1px solid ${LINE}; border-radius: 14px`,
  heading: `margin: 0 0 12px; ${FONT}; font-size: 22px; line-height: 28px; font-weight: 600; color: ${TEXT}`,
  text: `margin: 0 0 12px; ${FONT}; font-size: 16px; line-height: 25px; color: ${TEXT}`,
  facts: "width: 100%; margin: 8px 0 12px; border-collapse: collapse",
  /** Its alignment and its space depend on the direction of the language. */
  label:
    `border-bottom: 1px solid ${LINE}; ${FONT}; font-size: 14px; line-height: 22px; font-weight: 400; color: ${SOFT}`,
  value: `padding: 9px 0; border-bottom: 1px solid ${LINE}; ${FONT}; font-size: 15px; line-height: 22px; ` +
    `color: ${TEXT}; word-break: break-word`,
  code: "padding: 14px 20px; border-radius: 8px; font-family: Menlo, Consolas, 'Courier New', monospace; " +
    `font-size: 28px; line-height: 36px; font-weight: 600; letter-spacing: 2px; color: ${TEXT}; white-space: nowrap`,
  danger: `border: 1px solid ${DANGER}; border-radius: 8px; mso-padding-alt: 11px 20px`,
  dangerLink: `display: inline-block; padding: 11px 20px; ${FONT}; font-size: 16px; line-height: 24px; ` +
    `font-weight: 600; text-decoration: none; color: ${DANGER}`,
  smallPrint: `margin: 12px 0 0; ${FONT}; font-size: 14px; line-height: 21px; color: ${SOFT}`,
  smallLink: `color: ${DANGER}; font-weight: 600; text-decoration: underline`,
  footer: `margin: 0 0 8px; ${FONT}; font-size: 13px; line-height: 20px; color: ${SOFT}`,
  footerLink: `color: ${SOFT}`,
  bareLink: `color: ${SOFT}; word-break: break-all`,
  /** Shown only in lists of emails, beside the subject. */
  preheader: "display: none; max-height: 0; overflow: hidden; mso-hide: all",
};

/** The inline styles of the button, and of the tile that stands for a logo. */
export function brandStyles({ accent, "on-accent": onAccent }: Palette) {
  return {
    button: `border: 1px solid ${accent.light}; border-radius: 8px; mso-padding-alt: 11px 20px`,
    buttonLink: `display: inline-block; padding: 11px 20px; ${FONT}; font-size: 16px; line-height: 24px; ` +
      `font-weight: 600; text-decoration: none; color: ${onAccent.light}`,
    tile: `border-radius: 6px; ${FONT}; font-size: 14px; line-height: 24px; font-weight: 700; color: ${onAccent.light}`,
  };
}

/**
 * The style sheet: only what inline styles cannot say. Gmail drops all of it if one rule is not valid.
 *
 * @param hasDoor whether the card has the arch of the page to log in.
 */
export function styleSheet({ accent, "on-accent": onAccent }: Palette, hasDoor: boolean): string {
  return `
:root { color-scheme: light dark; supported-color-schemes: light dark; }
h1 { text-wrap: balance; }
p { text-wrap: pretty; }
@media (max-width: 480px) {
  .card { padding: 24px 20px !important; }
}
${hasDoor ? ".card { padding-top: 60px !important; border-radius: 120px 120px 14px 14px !important; }" : ""}
@media (prefers-color-scheme: dark) {
  .page { background-color: #191815 !important; }
  .card { background-color: #23211d !important; border-color: #37332d !important; }
  .sunken { background-color: #2a2823 !important; }
  .text { color: #f0ebe3 !important; }
  .soft { color: #b9b0a3 !important; }
  .line { border-color: #37332d !important; }
  .button { background-color: ${accent.dark} !important; border-color: ${accent.dark} !important; }
  .button-link { color: ${onAccent.dark} !important; }
  .tile { background-color: ${accent.dark} !important; color: ${onAccent.dark} !important; }
  .danger { background-color: #23211d !important; border-color: #ffb4ab !important; }
  .danger-link { color: #ffb4ab !important; }
}
`;
}
